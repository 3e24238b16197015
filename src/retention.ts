import type { Clock } from "./clock.ts";

export interface RetentionOptions {
  /** The name of the data, for the log. */
  readonly what: string;
  readonly store: {
    /** Deletes up to `limit` entries last used before `aliveSince` (milliseconds since 1970). Returns the number deleted. */
    deleteExpired(aliveSince: number, limit: number): Promise<number>;
  };
  readonly clock: Clock;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
  /** How long the data is kept. */
  readonly retentionMs: number;
  /** Interval between two rounds. */
  readonly intervalMs?: number;
}

export interface Retention {
  /** Deletes expired data in batches. Never rejects: a failure is retried in the next round. */
  removeExpired(): Promise<void>;
  /** Resolves when no round is running; none begins afterwards. */
  stop(): Promise<void>;
}

const tenMinutesMs = 600_000;
/** Small, so that other work is not delayed. */
const batchSize = 200;
const pauseMs = 20;

/** Deletes expired data in the background: at the start, and then at an interval. */
export function startRetention(options: RetentionOptions): Retention {
  const { what, store, clock, log, retentionMs, intervalMs = tenMinutesMs } = options;
  let round: Promise<void> | null = null;
  const stopping = new AbortController();

  const removeAll = async () => {
    try {
      while (
        !stopping.signal.aborted &&
        (await store.deleteExpired(clock.now() - retentionMs, batchSize)) === batchSize
      ) {
        await Bun.sleep(pauseMs);
      }
    } catch (error) {
      log.warn({ error: String(error) }, `Expired ${what} could not be removed. The next round tries again.`);
    } finally {
      round = null;
    }
  };
  const removeExpired = () => (round ??= removeAll());

  const timer = setInterval(() => void removeExpired(), intervalMs);
  timer.unref();
  void removeExpired();
  return {
    removeExpired,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await round;
    },
  };
}
