import { beforeEach, expect, test } from "bun:test";
import type { RouteDefinition } from "../../routing/names/route.ts";
import type { RouteStore } from "../../routing/stored/route-store.ts";
import { tester } from "../../changes/actor.testkit.ts";

const alias = (id: string, leadsTo: string): RouteDefinition => ({ kind: "alias", id, leadsTo });

const policy: RouteDefinition = {
  kind: "policy",
  id: "vendor/Zoë",
  strategy: "lowest_latency",
  members: [
    { model: "m", weight: 3 },
    { model: "n", weight: 1 },
  ],
  requires: ["tools"],
  retry: { attempts: null, budgetMs: 5_000, on: ["timeout"] },
  fallbackOn: ["overloaded", "rate_limit"],
  hedgeAfterMs: 1_500,
};

/** Tests that every store of routes must pass. `other` is the same database as seen by another process. */
export function routeContract(stores: () => { readonly store: RouteStore; readonly other: RouteStore }): void {
  const put = async (store: RouteStore, definition: RouteDefinition, updatedAt = 1) =>
    store.put({ definition, updatedAt }, await store.version(), tester);

  beforeEach(async () => {
    const { store } = stores();
    for (const { definition } of await store.list()) await store.remove(definition.id, await store.version(), tester);
  });

  test("routes are returned unchanged, by id, to every process", async () => {
    const { store, other } = stores();
    expect(await store.list()).toEqual([]);
    expect(await put(store, policy, 1_800_000_000_000)).toBe(true);
    expect(await put(store, alias("b", "vendor/Zoë"))).toBe(true);
    expect(await put(other, alias("B", "b"))).toBe(true);
    const expected = [
      { definition: alias("B", "b"), updatedAt: 1 },
      { definition: alias("b", "vendor/Zoë"), updatedAt: 1 },
      { definition: policy, updatedAt: 1_800_000_000_000 },
    ];
    expect(await store.list()).toEqual(expected);
    expect(await other.list()).toEqual(expected);
  });

  test("the newest of an id stands, and a removed one is gone", async () => {
    const { store } = stores();
    await put(store, alias("a", "m"));
    await put(store, { ...policy, id: "a" }, 2);
    expect(await store.list()).toEqual([{ definition: { ...policy, id: "a" }, updatedAt: 2 }]);
    expect(await store.remove("a", await store.version(), tester)).toBe(true);
    expect(await store.remove("a", await store.version(), tester)).toBe(false);
    expect(await store.list()).toEqual([]);
  });

  test("every change makes another version, and nothing else does", async () => {
    const { store, other } = stores();
    const seen = [await store.version()];
    const changes = [
      () => put(other, alias("a", "m")),
      () => put(store, alias("a", "m")),
      () => put(other, alias("b", "m")),
      async () => other.remove("a", await other.version(), tester),
    ];
    for (const change of changes) {
      expect(await change()).toBe(true);
      seen.push(await store.version());
      expect(await other.version()).toBe(seen.at(-1) ?? -1);
    }
    expect(new Set(seen).size).toBe(changes.length + 1);
    expect(await store.remove("unknown", await store.version(), tester)).toBe(false);
    expect(await store.version()).toBe(seen.at(-1) ?? -1);
  });

  test("a change based on an older version is refused", async () => {
    const { store, other } = stores();
    await put(store, alias("a", "m"));
    const old = await store.version();
    await put(other, alias("b", "a"));
    expect(await store.put({ definition: alias("a", "b"), updatedAt: 1 }, old, tester)).toBe(false);
    expect(await store.remove("a", old, tester)).toBe(false);
    expect((await store.list()).map(({ definition }) => definition)).toEqual([alias("a", "m"), alias("b", "a")]);
  });

  test("of several concurrent changes to the same version, one succeeds", async () => {
    const { store, other } = stores();
    for (let round = 0; round < 10; round++) {
      await put(store, alias("victim", "m"));
      const version = await store.version();
      const made = await Promise.all([
        store.put({ definition: alias("a", "b"), updatedAt: round }, version, tester),
        other.put({ definition: alias("b", "a"), updatedAt: round }, version, tester),
        other.remove("victim", version, tester),
        store.put({ definition: alias("c", "a"), updatedAt: round }, version, tester),
      ]);
      expect(made.filter(Boolean)).toHaveLength(1);
    }
  });
}
