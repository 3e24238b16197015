import { expect, test } from "bun:test";
import { tester } from "../../changes/actor.testkit.ts";
import { activateVersion, publishConfigured } from "./change-prices.ts";
import { configuredTable } from "./configured-table.ts";
import { memoryPriceListStore } from "./price-list-store.testkit.ts";
import { readBook } from "./prices-in-force.ts";
import { publishBackendPrices } from "./publish-backends.ts";

const model = { id: "m", prices: { input: 1 }, targets: [] };
const backend = (price: number) => ({ id: "search:main", prices: { web_search: price }, targets: [] });

async function pricesIn(store: ReturnType<typeof memoryPriceListStore>) {
  const newest = (await store.changes()).at(-1);
  if (!newest) throw new Error("There is no price list.");
  return { version: newest.version, models: (await readBook(store, newest)).tables.configured?.models };
}

test("prices of backends become a part of the configured ones, once, and others stay", async () => {
  const store = memoryPriceListStore();
  await publishConfigured(store, configuredTable([model]), null);
  const prices = new Map([["search:main", { web_search: 5 }]]);
  await Promise.all([publishBackendPrices(store, prices), publishBackendPrices(store, prices)]);
  expect(await pricesIn(store)).toEqual({ version: 2, models: { m: { input: 1 }, "search:main": { web_search: 5 } } });
  // A start with the same configuration and the same backends changes nothing.
  await publishConfigured(store, configuredTable([backend(5), model]), null);
  expect(await pricesIn(store)).toMatchObject({ version: 2 });
  await publishBackendPrices(store, new Map([["search:main", null]]));
  expect(await pricesIn(store)).toEqual({ version: 3, models: { m: { input: 1 } } });
});

test("a version that an operator has put in force stays so until the prices change", async () => {
  const store = memoryPriceListStore();
  await publishConfigured(store, configuredTable([model]), null);
  const prices = (price: number) => new Map([["search:main", { web_search: price }]]);
  await publishBackendPrices(store, prices(5));
  await activateVersion(store, 1, { by: tester, author: "ann", note: "" });
  await publishBackendPrices(store, prices(5));
  expect(await pricesIn(store)).toMatchObject({ version: 1 });
  await publishBackendPrices(store, prices(6));
  expect(await pricesIn(store)).toMatchObject({ version: 3, models: { "search:main": { web_search: 6 } } });
});
