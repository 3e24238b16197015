import { expect, test } from "bun:test";
import fc from "fast-check";
import { createSearchCache } from "./search-cache.ts";

const names = "abcdefghijklmnop".split("");

function cacheOf(maxBytes: number) {
  let now = 0;
  const cache = createSearchCache({ ttlMs: 1_000, maxBytes }, { now: () => now });
  return { cache, at: (time: number) => (now = time) };
}

test("a text is given again until it is too old", () => {
  const { cache, at } = cacheOf(100_000);
  cache.keep("a", "one");
  at(999);
  expect(cache.find("a")).toBe("one");
  at(1_000);
  expect(cache.find("a")).toBeNull();
  at(0);
  expect(cache.find("a")).toBeNull();
});

test("what is kept again is new", () => {
  const { cache, at } = cacheOf(100_000);
  cache.keep("a", "one");
  at(900);
  cache.keep("a", "two");
  at(1_800);
  expect(cache.find("a")).toBe("two");
});

test("what has not been used for longest makes room", () => {
  // Room for eight.
  const { cache } = cacheOf(8 * (2 * 101 + 200));
  const text = "x".repeat(100);
  for (const key of "abcdefgh") cache.keep(key, text);
  expect(cache.find("a")).toBe(text);
  cache.keep("i", text);
  expect("abcdefghi".split("").filter((key) => cache.find(key) === null)).toEqual(["b"]);
});

test("a text of more than an eighth of the memory is not kept, and takes the place of none", () => {
  const { cache } = cacheOf(10_000);
  cache.keep("a", "one");
  cache.keep("b", "x".repeat(1_000));
  expect([cache.find("a"), cache.find("b")]).toEqual(["one", null]);
  cache.keep("a", "x".repeat(1_000));
  expect(cache.find("a")).toBeNull();
});

test("the memory stays within its bound, whatever is kept", () => {
  const maxBytes = 5_000;
  const kept = fc.array(fc.tuple(fc.constantFrom(...names), fc.string({ maxLength: 400 })), {
    maxLength: 100,
  });
  fc.assert(
    fc.property(kept, (entries) => {
      const { cache } = cacheOf(maxBytes);
      for (const [key, text] of entries) cache.keep(key, text);
      const found = names.map((key) => cache.find(key)).filter((text) => text !== null);
      expect(found.reduce((sum, text) => sum + 2 * (text.length + 1) + 200, 0)).toBeLessThanOrEqual(maxBytes);
      const [last] = entries.slice(-1);
      if (last && last[1].length < 200) expect(cache.find(last[0])).toBe(last[1]);
    }),
  );
});
