import { afterEach, describe, expect, test } from "bun:test";
import { tester } from "../../changes/actor.testkit.ts";
import { activateVersion, importPrices, publishConfigured } from "./change-prices.ts";
import { openStorage } from "../../storage/open-storage.ts";
import { configuredTable } from "./configured-table.ts";
import { memoryPriceListStore } from "./price-list-store.testkit.ts";
import { followPrices, type FollowedPrices } from "./prices-in-force.ts";

const by = { by: tester, author: "ann", note: "because" };
const table = (input: number) => configuredTable([{ id: "model", prices: { input }, targets: [] }]);
const model = { id: "model", pricedAs: "model" };
const target = { provider: { id: "p", baseUrl: "http://p.invalid" }, model: "model", pricedAs: "p/model" };

let followed: FollowedPrices | null = null;
afterEach(() => followed?.stop());

async function follow() {
  const store = memoryPriceListStore();
  await publishConfigured(store, table(1), null);
  const lines: string[] = [];
  const log = {
    info: (_: object, text: string) => lines.push(text),
    warn: (_: object, text: string) => lines.push(text),
  };
  followed = await followPrices({ store, log, intervalMs: 3_600_000 });
  return { store, lines, prices: followed };
}

describe("the prices in force", () => {
  test("are those of the newest change, and what was found earlier stays", async () => {
    const { store, lines, prices } = await follow();
    const before = prices.current;
    expect(before.pricesOf(model, target)?.rates.input?.unitMicrousd).toBe(1);
    await publishConfigured(store, table(2), null);
    await prices.refresh();
    expect(prices.current).toMatchObject({ version: 2 });
    expect(prices.current.pricesOf(model, target)?.rates.input?.unitMicrousd).toBe(2);
    expect(before.pricesOf(model, target)?.rates.input?.unitMicrousd).toBe(1);
    await activateVersion(store, 1, by);
    await prices.refresh();
    expect(prices.current.version).toBe(1);
    expect(lines).toHaveLength(2);
  });

  test("stay as they are while the storage is away, with one line", async () => {
    const { store, lines, prices } = await follow();
    await importPrices(store, { source: "litellm", date: null, models: {}, vendors: [] }, by);
    store.failure = new Error("away");
    await prices.refresh();
    await prices.refresh();
    expect(prices.current.version).toBe(1);
    expect(lines).toEqual(["The price list cannot be read. The known prices stay in force."]);
    store.failure = null;
    await prices.refresh();
    expect(prices.current.version).toBe(2);
  });

  test("an earlier version is found for a job that began under it", async () => {
    const { store, prices } = await follow();
    await publishConfigured(store, table(2), null);
    await prices.refresh();
    expect((await prices.at(1)).pricesOf(model, target)?.rates.input?.unitMicrousd).toBe(1);
    expect(await prices.at(2)).toBe(prices.current);
    expect(await prices.at(7)).toBe(prices.current);
    store.failure = new Error("away");
    // The one that was read last is known; another one would have to be read.
    expect((await prices.at(1)).version).toBe(1);
    expect(await prices.at(3)).toBe(prices.current);
  });

  test("do not exist before a version does", async () => {
    const log = { info() {}, warn() {} };
    const failure = followPrices({ store: memoryPriceListStore(), log }).catch(String);
    expect(await failure).toContain("no price list yet");
  });
});

test("the newest change is in force although the clock went back", async () => {
  let now = 2_000;
  const storage = await openStorage("sqlite::memory:", { clock: { now: () => now } });
  try {
    await publishConfigured(storage.prices, table(1), null);
    now = 1_000;
    await publishConfigured(storage.prices, table(2), null);
    expect((await storage.prices.changes()).map(({ createdAt }) => createdAt)).toEqual([2_000, 1_000]);
    followed = await followPrices({ store: storage.prices, log: { info() {}, warn() {} } });
    expect(followed.current.version).toBe(2);
    await followed.stop();
  } finally {
    await storage.close();
  }
});
