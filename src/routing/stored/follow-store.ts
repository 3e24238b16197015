import type { Log } from "../../log.ts";

/** Keeps what is stored in force in this process. */
export interface FollowedStore {
  /** Reads the storage now. Never rejects: a failure is retried at the next interval. */
  refresh(): Promise<void>;
  /** Resolves when the storage is no longer in use. */
  stop(): Promise<void>;
}

export interface FollowOptions<Item> {
  readonly store: { version(): Promise<number>; list(): Promise<readonly Item[]> };
  /** Puts the newest items in force. If it throws, they are read again at the next interval. */
  readonly apply: (items: readonly Item[]) => void | Promise<void>;
  /** Names them in the log: `routes`. */
  readonly what: string;
  readonly log: Pick<Log, "info" | "warn">;
  /** The interval at which the storage is checked for changes. */
  readonly intervalMs?: number | undefined;
}

/** Applies what is stored, and again after each change by any process. Resolves after the first read. */
export async function followStore<Item>(options: FollowOptions<Item>): Promise<FollowedStore> {
  const { store, apply, what, log, intervalMs = 1_000 } = options;
  let version: number | null = null;
  let isDown = false;
  let pendingReads = 0;
  let round: Promise<void> = Promise.resolve();

  async function load(): Promise<void> {
    try {
      // Read before the list: a change in between is seen in the next round.
      const newest = await store.version();
      if (newest !== version) {
        await apply(await store.list());
        version = newest;
      }
      if (isDown) log.info({}, `The stored ${what} can be read again.`);
      isDown = false;
    } catch (error) {
      if (!isDown) {
        log.warn({ error: String(error) }, `The stored ${what} cannot be read. The known ${what} stay in force.`);
      }
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

  await refresh();
  const timer = setInterval(() => {
    if (pendingReads === 0) void refresh();
  }, intervalMs);
  timer.unref();
  return {
    refresh,
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
