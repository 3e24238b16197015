import type { Clock } from "../clock.ts";
import type { ResponseStore } from "./response-store.ts";

export interface RetentionOptions {
  readonly store: Pick<ResponseStore, "deleteGone">;
  readonly clock: Clock;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
  /** How long a conversation is kept after its last answer. */
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
  const { store, clock, log, retentionMs, roundMs = tenMinutesMs } = options;
  let round: Promise<void> | null = null;
  const stopping = new AbortController();

  const removeAll = async () => {
    try {
      while (!stopping.signal.aborted && (await store.deleteGone(clock.now() - retentionMs, batchSize)) === batchSize) {
        await Bun.sleep(pauseMs);
      }
    } catch (error) {
      log.warn({ error: String(error) }, "old responses could not be removed; the next round tries again");
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
