import { beforeEach, expect, test } from "bun:test";
import { tester } from "../../changes/actor.testkit.ts";
import type { NewChange } from "../../changes/change.ts";
import type { BackendStore, StoredBackend } from "../../routing/stored-backends/backend-store.ts";
import type { Storage } from "../storage.ts";

const backend = (id: string, change: Partial<StoredBackend> = {}): StoredBackend => ({
  id,
  fields: { provider: "tavily", search_price: "0.008", name: "Zoë's" },
  sealed: { apiKeys: "v1.key.sealed", headers: null },
  updatedAt: 1,
  ...change,
});

const entry = (id: string, action = "create"): NewChange => {
  return { by: tester, kind: "search_backend", id, action, before: null, after: null };
};

/** Tests that every store of search backends must pass. `other` is the same database as seen by another process. */
export function backendContract(storages: () => { readonly storage: Storage; readonly other: Storage }): void {
  const stores = () => ({ store: storages().storage.searchBackends, other: storages().other.searchBackends });
  const put = async (store: BackendStore, ...backends: readonly StoredBackend[]) =>
    store.put(
      backends,
      await store.version(),
      backends.map(({ id }) => entry(id)),
    );
  const remove = async (store: BackendStore, id: string) =>
    store.remove(id, await store.version(), entry(id, "remove"));

  beforeEach(async () => {
    const { store } = stores();
    for (const { id } of await store.list()) await remove(store, id);
  });

  test("backends are returned unchanged, by id, to every process", async () => {
    const { store, other } = stores();
    expect(await store.list()).toEqual([]);
    const plain = backend("B", { sealed: { apiKeys: null, headers: "v1.key.headers" }, updatedAt: 1_800_000_000_000 });
    expect(await put(store, backend("b"))).toBe(true);
    expect(await put(other, plain)).toBe(true);
    expect(await store.list()).toEqual([plain, backend("b")]);
    expect(await other.list()).toEqual([plain, backend("b")]);
  });

  test("the newest of an id stands, and a removed one is gone", async () => {
    const { store } = stores();
    await put(store, backend("a"));
    const newer = backend("a", { fields: {}, sealed: { apiKeys: null, headers: null }, updatedAt: 2 });
    await put(store, newer);
    expect(await store.list()).toEqual([newer]);
    expect(await remove(store, "a")).toBe(true);
    expect(await remove(store, "a")).toBe(false);
    expect(await store.list()).toEqual([]);
  });

  test("every change makes another version, and nothing else does", async () => {
    const { store, other } = stores();
    const seen = [await store.version()];
    for (const change of [
      () => put(other, backend("a")),
      () => put(store, backend("a")),
      () => put(other, backend("b"), backend("c"), backend("a")),
      () => remove(other, "a"),
    ]) {
      expect(await change()).toBe(true);
      seen.push(await store.version());
      expect(await other.version()).toBe(seen.at(-1) ?? -1);
    }
    expect(new Set(seen).size).toBe(5);
    expect(await remove(store, "unknown")).toBe(false);
    expect(await store.version()).toBe(seen.at(-1) ?? -1);
  });

  test("several are changed together, each with its entry in the audit trail, or none", async () => {
    const { store } = stores();
    const { storage } = storages();
    await put(store, backend("a"), backend("b"));
    const old = await store.version();
    const newer = ["a", "b", "c"].map((id) => backend(id, { updatedAt: 2 }));
    const changes = newer.map(({ id }) => entry(id, "order"));
    expect(await store.put(newer, old, changes)).toBe(true);
    expect(await store.list()).toEqual(newer);
    const trail = async () => storage.changes.list({ kind: "search_backend", id: null, limit: 3, after: null });
    const written = await trail();
    expect(written.map(({ id, action }) => `${action} ${id}`)).toEqual(["order c", "order b", "order a"]);
    expect(await store.put([backend("d"), backend("a")], old, changes)).toBe(false);
    expect(await store.remove("a", old, entry("a", "remove"))).toBe(false);
    expect(await store.list()).toEqual(newer);
    expect(await trail()).toEqual(written);
  });

  test("of several concurrent changes to the same version, one succeeds", async () => {
    const { store, other } = stores();
    for (let round = 0; round < 10; round++) {
      await put(store, backend("victim"));
      const version = await store.version();
      const made = await Promise.all([
        store.put([backend("a")], version, [entry("a")]),
        other.put([backend("b"), backend("c")], version, [entry("b"), entry("c")]),
        other.remove("victim", version, entry("victim", "remove")),
        store.put([backend("c"), backend("d")], version, [entry("c"), entry("d")]),
      ]);
      expect(made.filter(Boolean)).toHaveLength(1);
    }
  });
}
