import { describe, expect, test } from "bun:test";
import type { PriceList } from "./prices.ts";
import { buildPrices, publishPrices } from "./price-list.ts";

/** Keeps lists as a database does: as text, and one for each version. */
function memoryStore() {
  const lists = new Map<number, string>();
  return {
    lists,
    async latest(): Promise<PriceList | null> {
      const text = lists.get(lists.size);
      return text === undefined ? null : JSON.parse(text);
    },
    async insert(list: PriceList): Promise<boolean> {
      if (lists.has(list.version)) return false;
      lists.set(list.version, JSON.stringify(list));
      return true;
    },
  };
}

describe("buildPrices", () => {
  test("gives each dimension its pricing unit", () => {
    const prices = buildPrices({
      input: 250_000,
      image: 40_000,
      second: 100,
      character: 15_000_000,
      web_search: 5_000,
    });
    expect(prices.input).toEqual({
      dimension: "input",
      unit: { name: "1M_tokens", size: 1_000_000 },
      unitMicrousd: 250_000,
    });
    expect(prices.image?.unit).toEqual({ name: "image", size: 1 });
    expect(prices.second?.unit).toEqual({ name: "second", size: 1 });
    expect(prices.character?.unit).toEqual({ name: "1M_characters", size: 1_000_000 });
    expect(prices.web_search?.unit).toEqual({ name: "search_unit", size: 1 });
    expect(buildPrices({ video_second: 1 }).video_second?.unit).toEqual({ name: "video_second", size: 1 });
  });

  test("refuses what is no dimension or no price, naming it", () => {
    const build = (prices: Record<string, number>) => () => buildPrices(prices);
    expect(build({ inputs: 1 })).toThrow("'inputs'");
    expect(build({ toString: 1 })).toThrow("'toString'");
    for (const price of [0.5, -1, Number.NaN]) expect(build({ input: price })).toThrow("'input'");
  });
});

describe("publishPrices", () => {
  const first = { small: { input: 250_000, output: 2_000_000 }, large: { input: 1_250_000 } };

  test("begins with version 1", async () => {
    const store = memoryStore();
    const list = await publishPrices(store, { ...first, local: null });
    expect(list.version).toBe(1);
    expect(Object.keys(list.models)).toEqual(["small", "large"]);
    expect(await store.latest()).toEqual(list);
  });

  test("makes no version where nothing changed, in whatever order it is written", async () => {
    const store = memoryStore();
    await publishPrices(store, first);
    const again = await publishPrices(store, { large: first.large, small: { output: 2_000_000, input: 250_000 } });
    expect(again.version).toBe(1);
    expect(store.lists.size).toBe(1);
  });

  test.each([
    ["a price", { ...first, large: { input: 1_250_001 } }],
    ["one price more", { ...first, large: { input: 1_250_000, output: 0 } }],
    ["one price less", { ...first, small: { input: 250_000 } }],
    ["a model more", { ...first, tiny: {} }],
    ["a model less", { small: first.small }],
    ["a model renamed", { small: first.small, largest: first.large }],
  ])("makes the next version for %s, and keeps the old one", async (_, changed) => {
    const store = memoryStore();
    const before = await publishPrices(store, first);
    const after = await publishPrices(store, changed);
    expect(after.version).toBe(2);
    expect(JSON.parse(store.lists.get(1) ?? "")).toEqual(before);
    expect((await publishPrices(store, first)).version).toBe(3);
  });

  test("processes that start at once agree on one version", async () => {
    const store = memoryStore();
    const lists = await Promise.all(Array.from({ length: 8 }, () => publishPrices(store, first)));
    expect(lists.map((list) => list.version)).toEqual(Array.from({ length: 8 }, () => 1));
    expect(store.lists.size).toBe(1);
  });

  test("processes with different prices each get a version of their own", async () => {
    const store = memoryStore();
    const versions = await Promise.all(
      Array.from({ length: 8 }, async (_, price) => (await publishPrices(store, { model: { input: price } })).version),
    );
    expect(versions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("gives up with a word where the store never takes a list", async () => {
    const store = { latest: async () => null, insert: async () => false };
    expect(await publishPrices(store, first).catch(String)).toContain("could not be published");
  });
});
