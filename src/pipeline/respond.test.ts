import { expect, test } from "bun:test";
import { GatewayError } from "../errors.ts";
import { errorHeaders, warningsHeader } from "./respond.ts";

test("warnings are a list of paths that any header can hold", () => {
  expect(warningsHeader(["logit_bias", "tools[0].function.strict"])).toBe("logit_bias, tools[0].function.strict");
  expect(() => new Headers({ warnings: warningsHeader(["ключ\r\nx: 1", "a,b", "\u0000"]) })).not.toThrow();
  const many = warningsHeader(Array.from({ length: 10_000 }, (_, index) => `messages[${index}].name`));
  expect(many.length).toBeLessThan(4_100);
  expect(many.endsWith(", ...")).toBe(true);
});

test("an SDK is told not to retry a request that the gateway has retried, or that a retry cannot help", () => {
  for (const name of ["upstream_error", "first_byte_timeout"] as const) {
    expect(errorHeaders(GatewayError.of(name, "x"), true)).toEqual({ "x-should-retry": "false" });
    expect(errorHeaders(GatewayError.of(name, "x"))).toEqual({});
  }
  const final = [
    "invalid_parameter",
    "invalid_api_key",
    "model_not_allowed",
    "model_not_found",
    "body_too_large",
    "unsupported_media_type",
  ] as const;
  for (const name of final) expect(errorHeaders(GatewayError.of(name, "x"))).toEqual({ "x-should-retry": "false" });
  const refused = GatewayError.ofProvider({ status: 422, code: null }, "x", null);
  expect(errorHeaders(refused)).toEqual({ "x-should-retry": "false" });
  expect(errorHeaders(GatewayError.of("internal_error", "x"), true)).toEqual({});
  expect(errorHeaders(GatewayError.of("overloaded", "x", { retryAfterSeconds: 7 }))).toEqual({ "retry-after": "7" });
});
