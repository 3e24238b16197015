import type { Log } from "../../log.ts";
import { type DatedTable, PriceBook } from "../prices/price-book.ts";
import type { PriceChange, PriceListStore } from "./price-list-store.ts";

/** The price list that a running gateway charges by. */
export interface PricesInForce {
  /** A request keeps the one that it was planned with. */
  readonly current: PriceBook;
  /** An earlier version, for jobs that began under it. The current one if it cannot be read. */
  at(version: number): Promise<PriceBook>;
}

/** The prices in force, and how they are kept so. */
export interface FollowedPrices extends PricesInForce {
  /** Reads the storage now. Never rejects: a failure is retried at the next interval. */
  refresh(): Promise<void>;
  /** Resolves when the storage is no longer in use. */
  stop(): Promise<void>;
}

export interface FollowOptions {
  readonly store: PriceListStore;
  readonly log: Pick<Log, "info" | "warn">;
  /** The interval at which the storage is checked for changes. */
  readonly intervalMs?: number;
}

/** Reads a version with its tables. */
export async function readBook(store: PriceListStore, change: PriceChange): Promise<PriceBook> {
  const { version, configured, imported, bundled } = change;
  return new PriceBook(version, {
    configured: await readTable(store, configured),
    imported: await readTable(store, imported),
    bundled: await readTable(store, bundled),
  });
}

async function readTable(store: PriceListStore, id: string | null): Promise<DatedTable | null> {
  const stored = id === null ? null : await store.findTable(id);
  if (!stored) return null;
  const { table, createdAt } = stored;
  return { ...table, date: table.date ?? new Date(createdAt).toISOString().slice(0, 10) };
}

/** Keeps the newest price list in force, also after changes by other processes. Resolves after the first read. */
export async function followPrices({ store, log, intervalMs = 500 }: FollowOptions): Promise<FollowedPrices> {
  const newest = (await store.changes()).at(-1);
  if (!newest) throw new Error("There is no price list yet.");
  let sequence = newest.sequence;
  let current = await readBook(store, newest);
  /** The earlier version that a job asked for last. */
  let earlier: PriceBook | null = null;
  let isDown = false;
  let pendingReads = 0;
  let round: Promise<void> = Promise.resolve();

  async function load(): Promise<void> {
    try {
      if ((await store.newestSequence()) !== sequence) {
        const change = (await store.changes()).at(-1);
        if (change && change.sequence !== sequence) {
          current = await readBook(store, change);
          ({ sequence } = change);
          const { version, author, note } = change;
          log.info({ version, author, note }, "Another version of the price list is in force.");
        }
      }
      if (isDown) log.info({}, "The price list can be read again.");
      isDown = false;
    } catch (error) {
      if (!isDown) log.warn({ error: String(error) }, "The price list cannot be read. The known prices stay in force.");
      isDown = true;
    } finally {
      pendingReads--;
    }
  }

  function refresh(): Promise<void> {
    pendingReads++;
    round = round.then(load);
    return round;
  }

  const timer = setInterval(() => {
    if (pendingReads === 0) void refresh();
  }, intervalMs);
  timer.unref();
  return {
    get current() {
      return current;
    },
    async at(version) {
      if (version === current.version) return current;
      if (version === earlier?.version) return earlier;
      try {
        const change = (await store.changes()).find((each) => each.version === version);
        return change ? (earlier = await readBook(store, change)) : current;
      } catch (error) {
        log.warn({ version, error: String(error) }, "A version of the price list cannot be read; the newest is used.");
        return current;
      }
    },
    refresh,
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
