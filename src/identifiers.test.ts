import { expect, test } from "bun:test";
import fc from "fast-check";
import { isRequestId, newRequestId, requestIdAt, timeOfRequestId } from "./identifiers.ts";

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

test("the beginning of an id is made of its time, and read as it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (time) => {
      const id = newRequestId(time);
      expect(id.startsWith(requestIdAt(time))).toBe(true);
      expect(requestIdAt(time) < id).toBe(true);
      expect(newRequestId(time - 1) < requestIdAt(time)).toBe(true);
      expect(timeOfRequestId(id)).toBe(time);
      expect(isRequestId(id)).toBe(true);
    }),
  );
});

test.each(["", "req_", "req_0123456789abcdefghjkmnpqru", "req_z123456789abcdefghjkmnpqrs", "chatcmpl-9xYzAbCdEf"])(
  "%p is no request id",
  (text) => expect(isRequestId(text)).toBe(false),
);
