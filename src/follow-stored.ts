import type { Log } from "./log.ts";

/** A value of the storage as this process knows it. */
export interface Followed<Value> {
  readonly value: Value;
  /** Reads the storage now. Never rejects: what is known stays in force. */
  readonly refresh: () => Promise<void>;
  /** Resolves when the storage is no longer in use. */
  readonly stop: () => Promise<void>;
}

interface FollowOptions<Value> {
  readonly read: () => Promise<Value>;
  /** The name of what is read, for the log: `The tag policies`. */
  readonly what: string;
  readonly log: Pick<Log, "warn">;
  readonly intervalMs?: number;
}

/** Keeps a value up to date, also after changes by other processes: within a second. Resolves after the first read. */
export async function followStored<Value>(options: FollowOptions<Value>): Promise<Followed<Value>> {
  const { read, what, log, intervalMs = 1_000 } = options;
  let value = await read();
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let isDown = false;

  async function load(): Promise<void> {
    try {
      value = await read();
      isDown = false;
    } catch (error) {
      if (!isDown) log.warn({ error: String(error) }, `${what} cannot be read. The known ones stay in force.`);
      isDown = true;
    } finally {
      running = null;
    }
  }

  const loadNext = () => {
    next = null;
    return (running = load());
  };
  // A read that began before a change may not see it.
  const refresh = () => (running === null ? loadNext() : (next ??= running.then(loadNext)));
  const timer = setInterval(() => {
    if (running === null) void refresh();
  }, intervalMs);
  timer.unref();
  return {
    get value() {
      return value;
    },
    refresh,
    async stop() {
      clearInterval(timer);
      await (next ?? running);
    },
  };
}
