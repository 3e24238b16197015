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

test("an SDK is told not to retry what the gateway has tried already", () => {
  expect(errorHeaders(GatewayError.of("upstream_error", "x"))).toEqual({ "x-should-retry": "false" });
  expect(errorHeaders(GatewayError.of("overloaded", "x", { retryAfterSeconds: 7 }))).toEqual({
    "retry-after": "7",
  });
});
