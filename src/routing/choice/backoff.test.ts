import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { backoffMs } from "./backoff.ts";

test("full jitter: from nothing up to a bound that doubles with each try, to eight seconds", () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), random, (tries, share) => {
      const wait = backoffMs(tries, share);
      const bound = Math.min(8_000, 250 * 2 ** (tries - 1));
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(bound);
      expect(backoffMs(tries, 0)).toBe(0);
      expect(backoffMs(tries, 0.5)).toBe(bound / 2);
    }),
  );
});
