import type { PriceChange, PriceListStore, StoredTable } from "./price-list-store.ts";

/** Keeps price lists as a database does: tables as text, and one change for each sequence. */
export function memoryPriceListStore(now: () => number = () => 1_700_000_000_000): PriceListStore & {
  /** Makes all reading and writing fail as long as it is set. */
  failure: Error | null;
} {
  const changes: PriceChange[] = [];
  const tables = new Map<string, { readonly body: string; readonly createdAt: number }>();
  const store = {
    failure: null as Error | null,
    async newestSequence() {
      check();
      return changes.at(-1)?.sequence ?? 0;
    },
    async changes() {
      check();
      return structuredClone(changes);
    },
    async append(change: Omit<PriceChange, "createdAt">) {
      check();
      if (changes.some(({ sequence }) => sequence === change.sequence)) return false;
      changes.push({ ...change, createdAt: now() });
      return true;
    },
    async keepTable(id: string, table: StoredTable["table"]) {
      check();
      if (!tables.has(id)) tables.set(id, { body: JSON.stringify(table), createdAt: now() });
    },
    async hasTable(id: string) {
      return tables.has(id);
    },
    async findTable(id: string) {
      check();
      const found = tables.get(id);
      return found ? { table: JSON.parse(found.body), createdAt: found.createdAt } : null;
    },
  };
  const check = () => {
    if (store.failure) throw store.failure;
  };
  return store;
}
