import { expect, test } from "bun:test";
import fc from "fast-check";
import { newRequestId } from "./identifiers.ts";

const digits = "0123456789abcdefghjkmnpqrstvwxyz";

test("an id encodes its time, and ids sort by time", () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(time, time, (one, other) => {
      const id = newRequestId(one);
      expect(id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
      let held = 0;
      for (const digit of id.slice(4, 14)) held = held * 32 + digits.indexOf(digit);
      expect(held).toBe(one);
      if (one !== other) expect(id < newRequestId(other)).toBe(one < other);
    }),
  );
});

test("ids of the same millisecond differ", () => {
  const ids = Array.from({ length: 10_000 }, () => newRequestId(1_700_000_000_000));
  expect(new Set(ids).size).toBe(ids.length);
});
