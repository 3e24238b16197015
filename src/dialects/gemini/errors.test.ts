import { describe, expect, test } from "bun:test";
import { errorCatalogue, type ErrorName } from "../../error-catalogue.ts";
import { GatewayError, invalidParameter } from "../../errors.ts";
import { encodeGeminiError, isCredentialError, readGeminiError, readRetryDelay } from "./errors.ts";

const quota = {
  error: {
    code: 429,
    message: "You exceeded your current quota.",
    status: "RESOURCE_EXHAUSTED",
    details: [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId: "PerMinute" }] },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" },
    ],
  },
};

describe("reading", () => {
  test("code, message, status and the wait", () => {
    expect(readGeminiError(quota)).toEqual({
      message: "You exceeded your current quota.",
      type: "RESOURCE_EXHAUSTED",
      code: "429",
      param: null,
    });
    expect(readRetryDelay(quota)).toBe(34.4);
  });

  test("an error in a list, as arrays and the compatibility layer have it", () => {
    expect(readGeminiError([quota])).toEqual(readGeminiError(quota));
    expect(readRetryDelay([quota])).toBe(34.4);
  });

  test("a bad key, reported with 400", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
    const error = readGeminiError({
      error: { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details },
    });
    expect(error?.code).toBe("API_KEY_INVALID");
    expect(error !== null && isCredentialError(error)).toBe(true);
    expect(isCredentialError({ message: null, type: "INVALID_ARGUMENT", code: "400", param: null })).toBe(false);
  });

  test("the field at fault", () => {
    const violation = { field: "contents[0].parts[0]", description: "Unknown name" };
    const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation] }];
    expect(readGeminiError({ error: { code: 400, details } })?.param).toBe("contents[0].parts[0]");
  });

  test("anything but an error", () => {
    for (const value of [null, [], "x", {}, { error: "" }, { candidates: [] }, [{ candidates: [] }]]) {
      expect(readGeminiError(value)).toBeNull();
    }
    expect(
      readRetryDelay({ error: { details: [{ "@type": "google.rpc.RetryInfo", retryDelay: "soon" }] } }),
    ).toBeNull();
  });
});

describe("writing", () => {
  test("every error has one of Google's statuses, and a code that its client libraries treat as an error", () => {
    // `Object.keys` forgets which names an object has.
    const words = (Object.keys(errorCatalogue) as ErrorName[]).map((name) => {
      const told = GatewayError.of(name, "No.");
      const { error } = encodeGeminiError(told, "req_1") as { error: Record<string, unknown> };
      expect(error.code).toBeGreaterThanOrEqual(400);
      expect(error.code).toBeLessThan(600);
      return [told.type, error.status];
    });
    expect(Object.fromEntries(words)).toEqual({
      invalid_request_error: "INVALID_ARGUMENT",
      authentication_error: "UNAUTHENTICATED",
      permission_error: "PERMISSION_DENIED",
      not_found_error: "NOT_FOUND",
      conflict_error: "ABORTED",
      insufficient_balance: "FAILED_PRECONDITION",
      request_too_large: "INVALID_ARGUMENT",
      rate_limit_exceeded: "RESOURCE_EXHAUSTED",
      server_error: "INTERNAL",
      upstream_error: "UNAVAILABLE",
      overloaded_error: "UNAVAILABLE",
      upstream_timeout: "DEADLINE_EXCEEDED",
    });
  });

  test("the gateway's fields are in the details, and are read back", () => {
    const written = encodeGeminiError(invalidParameter("contents[0].role", "user or model"), "req_1");
    expect(readGeminiError(written)).toEqual({
      message: "Invalid value for 'contents[0].role': expected user or model.",
      type: "INVALID_ARGUMENT",
      code: "invalid_parameter",
      param: "contents[0].role",
    });
    expect(JSON.stringify(written)).toContain("req_1");
    const busy = GatewayError.of("requests_per_minute", "Wait.", { retryAfterSeconds: 7 });
    expect(readRetryDelay(encodeGeminiError(busy, "req_1"))).toBe(7);
  });
});
