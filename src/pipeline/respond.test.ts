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

test("an SDK is told not to retry what the gateway has repeated already, and what no repetition mends", () => {
  for (const type of ["upstream_error", "upstream_timeout"] as const) {
    expect(errorHeaders(new GatewayError(type, "x"), true)).toEqual({ "x-should-retry": "false" });
    expect(errorHeaders(new GatewayError(type, "x"))).toEqual({});
  }
  for (const status of [400, 401, 402, 403, 404, 413, 415, 422]) {
    const error = new GatewayError("invalid_request_error", "x", { status });
    expect(errorHeaders(error)).toEqual({ "x-should-retry": "false" });
  }
  expect(errorHeaders(new GatewayError("server_error", "x"), true)).toEqual({});
  expect(errorHeaders(new GatewayError("overloaded_error", "x", { retryAfterSeconds: 7 }))).toEqual({
    "retry-after": "7",
  });
});
