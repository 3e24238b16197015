import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { tester } from "../../changes/actor.testkit.ts";
import { activateVersion, importPrices, publishConfigured, rollBack } from "./change-prices.ts";
import { configuredTable } from "./configured-table.ts";
import type { PriceDocument } from "../prices/price-document.ts";
import { memoryPriceListStore } from "./price-list-store.testkit.ts";
import type { PriceListStore } from "./price-list-store.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { readBook } from "./prices-in-force.ts";

type Configured = Readonly<Record<string, PriceDocument | null>>;

function tableOf(models: Configured): PriceTable {
  return configuredTable(Object.entries(models).map(([id, prices]) => ({ id, prices, targets: [] })));
}

const publish = (store: PriceListStore, models: Configured) => publishConfigured(store, tableOf(models), null);
const note = { author: "ann", note: "because" };
const by = { by: tester, ...note };
const importedTable = (models: Readonly<Record<string, PriceDocument>>): PriceTable => {
  return { source: "litellm", date: null, models, vendors: [] };
};

describe("a start", () => {
  const first = { small: { input: 250_000, output: 2_000_000 }, large: { input: 1_250_000 } };

  test("begins with version 1", async () => {
    const store = memoryPriceListStore();
    const { change, isNew } = await publish(store, { ...first, local: null });
    expect({ version: change.version, isNew }).toEqual({ version: 1, isNew: true });
    expect(change).toMatchObject({ author: "configuration", note: "the first start", createdAt: 1_700_000_000_000 });
    expect((await readBook(store, change)).tables.configured?.models).toEqual(first);
  });

  test("makes no version if nothing changed, in whatever order it is written", async () => {
    const store = memoryPriceListStore();
    await publish(store, first);
    const again = await publish(store, { large: first.large, small: { output: 2_000_000, input: 250_000 } });
    expect(again).toMatchObject({ isNew: false, change: { version: 1 } });
    expect(await store.changes()).toHaveLength(1);
  });

  test.each<[string, Configured]>([
    ["a price", { ...first, large: { input: 1_250_001 } }],
    ["one price more", { ...first, large: { input: 1_250_000, output: 0 } }],
    ["one price less", { ...first, small: { input: 250_000 } }],
    ["a model more", { ...first, tiny: {} }],
    ["a model less", { small: first.small }],
    ["a model renamed", { small: first.small, largest: first.large }],
    ["a tier", { ...first, large: { input: 1_250_000, tiers: [{ above_input_tokens: 1, input: 1 }] } }],
  ])("makes the next version for %s, and keeps the old one", async (_, changed) => {
    const store = memoryPriceListStore();
    const { change } = await publish(store, first);
    const before = await readBook(store, change);
    expect((await publish(store, changed)).change.version).toBe(2);
    expect(await readBook(store, change)).toEqual(before);
    expect((await publish(store, first)).change.version).toBe(3);
  });

  test("processes that start at once agree on one version", async () => {
    const store = memoryPriceListStore();
    const all = await Promise.all(Array.from({ length: 8 }, () => publish(store, first)));
    expect(all.map(({ change }) => change.version)).toEqual(Array.from({ length: 8 }, () => 1));
    expect(await store.changes()).toHaveLength(1);
  });

  test("processes with different prices each get a version of their own", async () => {
    const store = memoryPriceListStore();
    const all = await Promise.all(
      Array.from({ length: 8 }, async (_, price) => publish(store, { model: { input: price } })),
    );
    const versions = all.map(({ change }) => change.version);
    expect(versions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("gives up with a word if the store never takes a change", async () => {
    const store = { ...memoryPriceListStore(), append: async () => false };
    expect(await publish(store, first).catch(String)).toContain("could not be changed");
  });

  test("adds the bundled prices, loaded only once", async () => {
    const store = memoryPriceListStore();
    let loads = 0;
    const bundled = {
      id: "bundled@1",
      load: async () => (loads++, { source: "bundled 1", date: "2026-01-01", models: {}, vendors: [] }),
    };
    await publishConfigured(store, tableOf(first), bundled);
    await publishConfigured(store, tableOf(first), bundled);
    expect(loads).toBe(1);
    const without = await publishConfigured(store, tableOf(first), null);
    expect(without.change).toMatchObject({ version: 2, bundled: null, note: "the bundled prices have changed" });
    const other = await publishConfigured(store, tableOf({}), bundled);
    expect(other.change).toMatchObject({ version: 3, bundled: "bundled@1" });
    expect(loads).toBe(1);
  });
});

describe("a change by an operator", () => {
  const configured = { model: { input: 1 } };

  test("an import is in force at once, and stays when the configuration changes", async () => {
    const store = memoryPriceListStore();
    await publish(store, configured);
    const { change } = await importPrices(store, importedTable({ a: { input: 2 } }), by);
    expect(change).toMatchObject({ version: 2, ...note });
    expect((await importPrices(store, importedTable({ a: { input: 2 } }), by)).isNew).toBe(false);
    const next = await publish(store, { model: { input: 3 } });
    expect(next.change).toMatchObject({ version: 3, imported: change.imported });
    expect((await importPrices(store, importedTable({ a: { input: 4 } }), by)).change.version).toBe(4);
  });

  test("an import before the first start is there when the gateway starts", async () => {
    const store = memoryPriceListStore();
    const { change } = await importPrices(store, importedTable({ a: { input: 2 } }), by);
    expect(change).toMatchObject({ version: 1, configured: null });
    expect((await publish(store, configured)).change).toMatchObject({ version: 2, imported: change.imported });
  });

  test("an earlier version can be put in force again, and a restart leaves it there", async () => {
    const store = memoryPriceListStore();
    await publish(store, configured);
    await publish(store, { model: { input: 2 } });
    const { change } = await activateVersion(store, 1, by);
    expect(change).toMatchObject({ version: 1, sequence: 3, ...note });
    expect((await publish(store, { model: { input: 2 } })).change).toEqual(change);
    expect((await activateVersion(store, 1, by)).isNew).toBe(false);
    // A configuration that has changed since is published.
    expect((await publish(store, { model: { input: 3 } })).change.version).toBe(3);
    expect(await activateVersion(store, 9, by).catch(String)).toContain("no version 9");
  });

  test("a rollback goes to the version before, again and again", async () => {
    const store = memoryPriceListStore();
    expect(await rollBack(store, by).catch(String)).toContain("no earlier version");
    for (const input of [1, 2, 3]) await publish(store, { model: { input } });
    expect((await rollBack(store, by)).change.version).toBe(2);
    expect((await rollBack(store, by)).change.version).toBe(1);
    expect(await rollBack(store, by).catch(String)).toContain("no earlier version");
  });
});

test("whatever is changed, no version ever changes, and versions count up", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("publish" as const), value: fc.nat(3) }),
    fc.record({ kind: fc.constant("import" as const), value: fc.nat(3) }),
    fc.record({ kind: fc.constant("activate" as const), value: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant("rollback" as const), value: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const store = memoryPriceListStore();
      const seen = new Map<number, unknown>();
      let highest = 0;
      for (const { kind, value } of steps) {
        const run = {
          publish: () => publish(store, { model: { input: value } }),
          import: () => importPrices(store, importedTable({ model: { output: value } }), by),
          activate: () => activateVersion(store, value, by),
          rollback: () => rollBack(store, by),
        };
        await run[kind]().catch((error: unknown) => expect(String(error)).toMatch(/no (earlier )?version/));
        for (const change of await store.changes()) {
          const { tables } = await readBook(store, change);
          if (!seen.has(change.version)) expect(change.version).toBe(++highest);
          expect(tables).toEqual((seen.get(change.version) ?? tables) as typeof tables);
          seen.set(change.version, tables);
        }
      }
    }),
    { numRuns: 60 },
  );
});
