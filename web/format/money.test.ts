import { expect, test } from "bun:test";
import fc from "fast-check";
import { exactMoney, money, readMoney } from "./money.ts";

test("amounts are shown with the places that it takes to see them", () => {
  const shown = [0, 7, 55, 12_345, 500_000, 1_234_567, -2_500_000].map(money);
  expect(shown).toEqual(["$0.00", "$0.000007", "$0.000055", "$0.0123", "$0.50", "$1.23", "−$2.50"]);
});

test("an exact amount is read back to the micro-dollar", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (amount) => {
      expect(readMoney(exactMoney(amount).replaceAll(",", ""))).toBe(amount);
    }),
  );
});

test("what is no amount is none", () => {
  expect(["", "1.2.3", "-1", "1e3", "0.1234567", "abc"].map(readMoney)).toEqual([null, null, null, null, null, null]);
});
