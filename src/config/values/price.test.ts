import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { priceToMicrousd } from "./price.ts";

describe("priceToMicrousd", () => {
  test.each([
    [2.0, 2_000_000],
    ["2.00", 2_000_000],
    [0.25, 250_000],
    [0.025, 25_000],
    ["0.000001", 1],
    [1e-6, 1],
    ["1e-6", 1],
    ["12.5E2", 1_250_000_000],
    [0, 0],
    ["0.1000000", 100_000],
    [0.29, 290_000],
    [1.005, 1_005_000],
    [8.2, 8_200_000],
    [1_000_000, 1_000_000_000_000],
  ])("%p is %p micro-USD", (price, expected) => {
    expect(priceToMicrousd(price)).toBe(expected);
  });

  test.each([
    [0.0000001],
    ["0.0000001"],
    ["1.0000005"],
    [0.1 + 0.2],
    [-1],
    ["-0.5"],
    ["1000000.000001"],
    ["1e99"],
    ["1e-99"],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ["$1"],
    ["1,5"],
    [""],
    ["."],
    [null],
    [true],
    [[1]],
  ])("%p is no price", (price) => {
    expect(priceToMicrousd(price)).toBeNull();
  });

  const microusd = fc.integer({ min: 0, max: 1_000_000_000_000 });
  const asText = (amount: number) => `${Math.floor(amount / 1e6)}.${String(amount % 1e6).padStart(6, "0")}`;

  test("text with six decimals is exact", () => {
    fc.assert(fc.property(microusd, (amount) => expect(priceToMicrousd(asText(amount))).toBe(amount)));
  });

  test("a number parsed by YAML from such text gives the same amount", () => {
    fc.assert(fc.property(microusd, (amount) => expect(priceToMicrousd(Number(asText(amount)))).toBe(amount)));
  });

  test("a seventh decimal other than 0 is rejected", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 1, max: 9 }), (amount, digit) =>
        expect(priceToMicrousd(`${asText(amount)}${digit}`)).toBeNull(),
      ),
    );
  });
});
