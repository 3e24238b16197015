import { expect, test } from "bun:test";
import { tester } from "../../changes/actor.testkit.ts";
import { activateVersion, publishConfigured } from "./change-prices.ts";
import { configuredTable } from "./configured-table.ts";
import { memoryPriceListStore } from "./price-list-store.testkit.ts";
import { readBook } from "./prices-in-force.ts";
import { publishStoredPrices, type StoredPrices } from "./publish-stored.ts";

const model = { id: "m", prices: { input: 1 }, targets: [] };
const backend = (price: number) => ({ id: "search:main", prices: { web_search: price }, targets: [] });

const priceOf = (price: number): StoredPrices => {
  return { of: "search backends", owners: ["search:main"], prices: { "search:main": { web_search: price } } };
};

async function pricesIn(store: ReturnType<typeof memoryPriceListStore>) {
  const newest = (await store.changes()).at(-1);
  if (!newest) throw new Error("There is no price list.");
  return { version: newest.version, models: (await readBook(store, newest)).tables.configured?.models };
}

test("prices of backends become a part of the configured ones, once, and others stay", async () => {
  const store = memoryPriceListStore();
  await publishConfigured(store, configuredTable([model]), null);
  await Promise.all([publishStoredPrices(store, priceOf(5)), publishStoredPrices(store, priceOf(5))]);
  expect(await pricesIn(store)).toEqual({ version: 2, models: { m: { input: 1 }, "search:main": { web_search: 5 } } });
  // A start with the same configuration and the same backends changes nothing.
  await publishConfigured(store, configuredTable([backend(5), model]), null);
  expect(await pricesIn(store)).toMatchObject({ version: 2 });
  await publishStoredPrices(store, { ...priceOf(5), prices: {} });
  expect(await pricesIn(store)).toEqual({ version: 3, models: { m: { input: 1 } } });
});

test("a version that an operator has put in force stays so until the prices change", async () => {
  const store = memoryPriceListStore();
  await publishConfigured(store, configuredTable([model]), null);
  await publishStoredPrices(store, priceOf(5));
  await activateVersion(store, 1, { by: tester, author: "ann", note: "" });
  await publishStoredPrices(store, priceOf(5));
  expect(await pricesIn(store)).toMatchObject({ version: 1 });
  await publishStoredPrices(store, priceOf(6));
  expect(await pricesIn(store)).toMatchObject({ version: 3, models: { "search:main": { web_search: 6 } } });
});

test("the prices of a model replace all that it had, those of its targets too", async () => {
  const store = memoryPriceListStore();
  await publishConfigured(store, configuredTable([model]), null);
  const of = "models";
  const prices = { own: { input: 1 }, "own > openai/gpt-5": { input: 2 }, owner: { input: 3 } };
  await publishStoredPrices(store, { of, owners: ["own", "owner"], prices });
  await publishStoredPrices(store, { of, owners: ["own"], prices: { own: { output: 4 } } });
  expect((await pricesIn(store)).models).toEqual({ m: { input: 1 }, owner: { input: 3 }, own: { output: 4 } });
});
