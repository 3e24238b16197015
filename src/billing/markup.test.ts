import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { addMarkup, markupMicrousd, withMarkup } from "./markup.ts";
import { maxLineMicrousd } from "./money.ts";
import type { Charge } from "./prices/prices.ts";

const basisPoints = fc.integer({ min: -10_000, max: 1_000_000 });
const amount = fc.integer({ min: 0, max: 1_300_000_000_000_000 });

describe("markup", () => {
  test("is rounded half up, a discount too", () => {
    expect([1, 2, 3, 4, 5].map((each) => markupMicrousd(each, 5_000))).toEqual([1, 1, 2, 2, 3]);
    expect([1, 2, 3, 4, 5].map((each) => markupMicrousd(each, -5_000))).toEqual([0, -1, -1, -2, -2]);
    expect(markupMicrousd(1_000, 1_234)).toBe(123);
    expect(markupMicrousd(1_000_000_000_000_001, 1_000_000)).toBe(maxLineMicrousd);
  });

  test("is exact for any amount and never makes a charge negative", () => {
    fc.assert(
      fc.property(amount, basisPoints, (sum, points) => {
        const exact = 2n * BigInt(sum) * BigInt(points);
        const markup = BigInt(markupMicrousd(sum, points));
        const isGreatest = markup === BigInt(maxLineMicrousd) && exact >= markup * 20_000n;
        // Half up: markup - 1/2 <= exact < markup + 1/2, in units of 20,000.
        const isNearest = markup * 20_000n - 10_000n <= exact && exact < markup * 20_000n + 10_000n;
        expect(isNearest || isGreatest).toBe(true);
        expect(withMarkup(sum, points)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("keeps the order of amounts, so that a charge within its hold stays there", () => {
    fc.assert(
      fc.property(amount, amount, basisPoints, (one, other, points) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(withMarkup(less, points)).toBeLessThanOrEqual(withMarkup(more, points));
      }),
    );
  });

  test("is a line of its own, by which the amount can be checked", () => {
    const line = { quantity: 30, unit: "1M_tokens", unitSize: 1_000_000, unitMicrousd: 5_000_000, amountMicrousd: 150 };
    const charge: Charge = {
      status: "charged",
      amountMicrousd: 150,
      pricingVersion: 1,
      lineItems: [{ dimension: "output", ...line }],
    };
    expect(addMarkup(charge, 0)).toBe(charge);
    expect(addMarkup(charge, -10_000)).toMatchObject({
      amountMicrousd: 0,
      lineItems: [line, { amountMicrousd: -150 }],
    });
    expect(addMarkup(charge, 1_250)).toEqual({
      ...charge,
      amountMicrousd: 169,
      lineItems: [
        { dimension: "output", ...line },
        {
          dimension: "markup",
          quantity: 150,
          unit: "10000_microusd",
          unitSize: 10_000,
          unitMicrousd: 1_250,
          amountMicrousd: 19,
        },
      ],
    });
  });
});
