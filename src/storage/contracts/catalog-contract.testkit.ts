import { beforeEach, expect, test } from "bun:test";
import { tester } from "../../changes/actor.testkit.ts";
import type { NewChange } from "../../changes/change.ts";
import type { CatalogStore, StoredEntry, StoredKind } from "../../routing/stored-catalog/catalog-store.ts";
import type { Storage } from "../storage.ts";

const entry = (kind: StoredKind, id: string, change: Partial<StoredEntry> = {}): StoredEntry => ({
  kind,
  id,
  fields: { dialect: "openai-chat", base_url: "https://a.example", name: "Zoë's" },
  sealed: { apiKeys: "v1.key.sealed", headers: null },
  updatedAt: 1,
  ...change,
});

const changeOf = (kind: StoredKind, id: string, action = "create"): NewChange => {
  return { by: tester, kind, id, action, before: null, after: null };
};

/** Tests that every store of providers and models must pass. `other` is the same database as seen by another process. */
export function catalogContract(storages: () => { readonly storage: Storage; readonly other: Storage }): void {
  const stores = () => ({ store: storages().storage.catalog, other: storages().other.catalog });
  const put = async (store: CatalogStore, each: StoredEntry) =>
    store.put(each, await store.version(), changeOf(each.kind, each.id));
  const remove = async (store: CatalogStore, kind: StoredKind, id: string) =>
    store.remove(kind, id, await store.version(), changeOf(kind, id, "remove"));

  beforeEach(async () => {
    const { store } = stores();
    for (const { kind, id } of await store.list()) await remove(store, kind, id);
  });

  test("entries are returned unchanged, providers first, each by id, to every process", async () => {
    const { store, other } = stores();
    const secret = { apiKeys: null, headers: "v1.key.headers", webhookSecret: "v1.key.secret" };
    const full = entry("provider", "B", { sealed: secret, updatedAt: 1_800_000_000_000 });
    const model = entry("model", "a/b", { sealed: { apiKeys: null, headers: null } });
    for (const each of [model, entry("provider", "b")]) expect(await put(store, each)).toBe(true);
    expect(await put(other, full)).toBe(true);
    for (const each of [store, other]) expect(await each.list()).toEqual([full, entry("provider", "b"), model]);
  });

  test("a provider and a model may have one id, and the newest of each stands", async () => {
    const { store } = stores();
    await put(store, entry("provider", "a"));
    await put(store, entry("model", "a"));
    const newer = entry("provider", "a", { fields: {}, sealed: { apiKeys: null, headers: null }, updatedAt: 2 });
    await put(store, newer);
    expect(await store.list()).toEqual([newer, entry("model", "a")]);
    expect(await remove(store, "provider", "a")).toBe(true);
    expect(await remove(store, "provider", "a")).toBe(false);
    expect(await store.list()).toEqual([entry("model", "a")]);
  });

  test("one version counts the changes of both kinds, and each has its entry in the audit trail", async () => {
    const { store, other } = stores();
    const { storage } = storages();
    const versions = new Set([await store.version()]);
    await put(other, entry("provider", "a"));
    versions.add(await store.version());
    await put(store, entry("model", "m"));
    versions.add(await store.version());
    await remove(other, "model", "m");
    versions.add(await store.version());
    expect(versions.size).toBe(4);
    expect(await other.version()).toBe(await store.version());
    const [change] = await storage.changes.list({ kind: "model", id: "m", limit: 1, after: null });
    expect(change).toMatchObject({ kind: "model", id: "m", action: "remove" });
    const old = (await store.version()) - 1;
    expect(await store.put(entry("model", "n"), old, changeOf("model", "n"))).toBe(false);
    expect(await store.remove("provider", "a", old, changeOf("provider", "a", "remove"))).toBe(false);
    expect(await storage.changes.list({ kind: "model", id: "n", limit: 1, after: null })).toEqual([]);
  });

  test("of a provider's removal and a model of it that is added at once, one succeeds", async () => {
    const { store, other } = stores();
    for (let round = 0; round < 10; round++) {
      await put(store, entry("provider", "victim"));
      const version = await store.version();
      const made = await Promise.all([
        store.remove("provider", "victim", version, changeOf("provider", "victim", "remove")),
        other.put(entry("model", `m${round}`), version, changeOf("model", `m${round}`)),
      ]);
      expect(made.filter(Boolean)).toHaveLength(1);
    }
  });
}
