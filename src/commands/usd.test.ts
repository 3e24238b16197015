import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { priceToMicrousd } from "../config/values/price.ts";
import { formatUsd } from "./usd.ts";

test.each([
  [0, "0.00"],
  [1, "0.000001"],
  [25_000, "0.025"],
  [2_000_000, "2.00"],
  [1_234_567_890, "1234.56789"],
])("%d micro-USD is %s", (microusd, expected) => {
  expect(formatUsd(microusd)).toBe(expected);
});

test("what is printed reads back as the same amount", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), (microusd) =>
      expect(priceToMicrousd(formatUsd(microusd))).toBe(microusd),
    ),
  );
});
