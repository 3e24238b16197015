import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { amountMicrousd, maxLineMicrousd } from "./money.ts";

const million = 1_000_000;

describe("amountMicrousd", () => {
  test.each([
    // 0.25 USD for a million tokens: 86 tokens are 21.5 micro-USD.
    [86, 250_000, million, 22],
    [85, 250_000, million, 21],
    [2, 250_000, million, 1],
    [1, 250_000, million, 0],
    [1, 499_999, million, 0],
    [1, 500_000, million, 1],
    [0, 250_000, million, 0],
    [5, 0, million, 0],
    [3, 40_000, 1, 120_000],
    // Seconds with a fraction, as their decimal text says.
    [12.5, 100, 1, 1_250],
    [0.1, 5, 1, 1],
    [0.1, 4, 1, 0],
    [1.005, 1_000, 1, 1_005],
    [1e-7, 5_000_000, 1, 1],
    [1e-7, 4_999_999, 1, 0],
    [2.5, 3, 5, 2],
    // No line comes to more than 100 million USD.
    [1e9, 1e15, 1, 100_000_000_000_000],
    [1e300, Number.MAX_SAFE_INTEGER, 1, 100_000_000_000_000],
    // Products above 2^53.
    [900_000_001, 15_000_000_007, million, 13_500_000_021_300],
    [1e21, 1, Number.MAX_SAFE_INTEGER, 111_022],
  ])("%d at %d for %d makes %d", (quantity, unitMicrousd, unitSize, amount) => {
    expect(amountMicrousd(quantity, unitMicrousd, unitSize)).toBe(amount);
  });

  test.each([
    [-1, 1, 1],
    [Number.NaN, 1, 1],
    [Infinity, 1, 1],
    [1, -1, 1],
    [1, 0.5, 1],
    [1, 1, 0],
    [1, 1, 1.5],
    [0.5, 1e15, 1e-9],
  ])("refuses %d at %d for %d", (quantity, unitMicrousd, unitSize) => {
    expect(() => amountMicrousd(quantity, unitMicrousd, unitSize)).toThrow(RangeError);
  });

  test("is the exact quotient, rounded half up, for every whole quantity", () => {
    const quantity = fc.oneof(fc.nat(10_000), fc.nat(2_000_000_000));
    const price = fc.oneof(fc.nat(100_000_000), fc.maxSafeNat());
    const size = fc.oneof(fc.constantFrom(1, 1_000, million), fc.integer({ min: 1, max: 3_000_000 }));
    fc.assert(
      fc.property(quantity, price, size, (quantity, price, size) => {
        const exact = BigInt(quantity) * BigInt(price);
        // a is rounded half up from x exactly where a - 1/2 <= x < a + 1/2.
        const within = (amount: bigint) =>
          (2n * amount - 1n) * BigInt(size) <= 2n * exact && 2n * exact < (2n * amount + 1n) * BigInt(size);
        const amount = amountMicrousd(quantity, price, size);
        if (exact / BigInt(size) >= BigInt(maxLineMicrousd)) expect(amount).toBe(maxLineMicrousd);
        else expect(within(BigInt(amount))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("treats a fraction as its decimal text", () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(9_999), fc.nat(1_000_000), (whole, tenThousandths, price) => {
        const text = `${whole}.${String(tenThousandths).padStart(4, "0")}`;
        const exact = BigInt(whole * 10_000 + tenThousandths) * BigInt(price);
        expect(BigInt(amountMicrousd(Number(text), price, 1))).toBe((2n * exact + 10_000n) / 20_000n);
      }),
    );
  });
});
