import type { Clock } from "./clock.ts";

export interface RetentionOptions {
  /** What is kept, for the log. */
  readonly what: string;
  readonly store: {
    /** Removes at most `most` of what was last needed before `aliveSince` (milliseconds since 1970), and says how many. */
    deleteGone(aliveSince: number, most: number): Promise<number>;
  };
  readonly clock: Clock;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
  /** How long it is kept. */
  readonly retentionMs: number;
  /** Between two rounds. */
  readonly roundMs?: number;
}

export interface Retention {
  /** Removes what is gone, batch by batch. Never rejects: what fails is tried again in the next round. */
  removeGone(): Promise<void>;
  /** Resolves when no round is on its way, and none begins again. */
  stop(): Promise<void>;
}

const tenMinutesMs = 600_000;
/** Small enough to hold up nothing else. */
const batchSize = 200;
const pauseMs = 20;

/** Removes in the background what has been kept long enough: once at the start, then round after round. */
export function startRetention(options: RetentionOptions): Retention {
  const { what, store, clock, log, retentionMs, roundMs = tenMinutesMs } = options;
  let round: Promise<void> | null = null;
  const stopping = new AbortController();

  const removeAll = async () => {
    try {
      while (!stopping.signal.aborted && (await store.deleteGone(clock.now() - retentionMs, batchSize)) === batchSize) {
        await Bun.sleep(pauseMs);
      }
    } catch (error) {
      log.warn({ error: String(error) }, `old ${what} could not be removed; the next round tries again`);
    } finally {
      round = null;
    }
  };
  const removeGone = () => (round ??= removeAll());

  const timer = setInterval(() => void removeGone(), roundMs);
  timer.unref();
  void removeGone();
  return {
    removeGone,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await round;
    },
  };
}
