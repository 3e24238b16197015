import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { exactRate, readUsd, usdText } from "./rate.ts";

describe("readUsd", () => {
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
    ["0.0000001", "0.0000001"],
    ["1.000000500", "1.0000005"],
    ["0.000000000001", "0.000000000001"],
    [1.6667e-5, "0.000016667"],
  ])("%p is %p", (price, expected) => {
    expect(readUsd(price)).toBe(expected);
  });

  test.each([
    ["0.0000000000001"],
    ["1e-13"],
    [0.1 + 0.2],
    [-1],
    ["-0.5"],
    ["1000000.000001"],
    // A million of these would cost more than 2^53 micro-USD.
    ["9007.2000001"],
    ["9007199254.740993"],
    ["1e99"],
    ["1e-99"],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ["NaN"],
    ["Infinity"],
    ["0x10"],
    ["$1"],
    ["1,5"],
    [""],
    ["."],
    [null],
    [true],
    [[1]],
    [{}],
  ])("%p is no price", (price) => {
    expect(readUsd(price)).toBeNull();
  });

  test("moves the point of a price of one token to that of a million", () => {
    expect(readUsd("1.25e-06", 6)).toBe(1_250_000);
    expect(readUsd("0.00000000000025", 6)).toBe("0.00000025");
    expect(readUsd("1e-19", 6)).toBeNull();
    expect(readUsd("1.1", 6)).toBeNull();
  });

  const microusd = fc.integer({ min: 0, max: 1_000_000_000_000 });
  const asText = (amount: number) => `${Math.floor(amount / 1e6)}.${String(amount % 1e6).padStart(6, "0")}`;

  test("text with six decimals is exact", () => {
    fc.assert(fc.property(microusd, (amount) => expect(readUsd(asText(amount))).toBe(amount)));
  });

  test("a number parsed by YAML from such text gives the same amount", () => {
    fc.assert(fc.property(microusd, (amount) => expect(readUsd(Number(asText(amount)))).toBe(amount)));
  });

  test("text with twelve decimals is exact, and is written as it was", () => {
    fc.assert(
      fc.property(fc.nat(9_006), fc.nat(999_999), fc.nat(999_999), (whole, millionths, rest) => {
        const text = `${whole}.${String(millionths).padStart(6, "0")}${String(rest).padStart(6, "0")}`;
        const rate = readUsd(text);
        if (rate === null) throw new Error(text);
        const { unitMicrousd, isPerMillion } = exactRate(rate);
        expect(isPerMillion).toBe(rest !== 0);
        const exact = BigInt(whole) * 10n ** 12n + BigInt(millionths) * 1_000_000n + BigInt(rest);
        expect(BigInt(unitMicrousd) * (isPerMillion ? 1n : 1_000_000n)).toBe(exact);
        expect(readUsd(usdText(rate))).toBe(rate);
      }),
    );
  });

  test("a thirteenth decimal other than 0 is rejected", () => {
    fc.assert(
      fc.property(fc.nat(999_999), fc.integer({ min: 1, max: 9 }), (millionths, digit) =>
        expect(readUsd(`0.${String(millionths).padStart(12, "0")}${digit}`)).toBeNull(),
      ),
    );
  });
});

test("usdText writes no more digits than there are", () => {
  expect([0, 1, 25_000, 250_000, 2_000_000, 1_000_000_000_000].map(usdText)).toEqual([
    "0",
    "0.000001",
    "0.025",
    "0.25",
    "2",
    "1000000",
  ]);
});
