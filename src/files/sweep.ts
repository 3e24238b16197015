import type { BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import type { FileStore } from "./file-store.ts";

export interface SweepLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface SweepOptions {
  readonly store: Pick<FileStore, "deleteExpired" | "giveUpBlobs" | "forgetBlob">;
  readonly blobs: Pick<BlobStore, "remove">;
  readonly clock: Clock;
  readonly log: SweepLog;
}

/** Removes expired files, and the bytes that no file has any more. */
export interface Sweep {
  /** Begins a round now, or after the one that runs. */
  soon(): void;
  /** Resolves when no round is running; none begins afterwards. */
  stop(): Promise<void>;
}

/** With the time of a claim this is less than a minute. */
const intervalMs = 15_000;
const batchSize = 100;

/**
 * Sweeps at the start, at an interval, and when told. A blob is given up in the database before its bytes are removed, and
 * forgotten after that, so that a round that breaks off anywhere is completed by a later one.
 */
export function startSweep({ store, blobs, clock, log }: SweepOptions): Sweep {
  let round: Promise<void> | null = null;
  let isWanted = false;
  const stopping = new AbortController();

  async function sweepAll(): Promise<void> {
    while (!stopping.signal.aborted && (await store.deleteExpired(clock.now(), batchSize)) === batchSize);
    while (!stopping.signal.aborted) {
      const keys = await store.giveUpBlobs(clock.now(), batchSize);
      const removed = await Promise.allSettled(keys.map(remove));
      const failed = removed.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      if (keys.length < batchSize) return;
    }
  }

  async function remove(key: string): Promise<void> {
    await blobs.remove(key);
    await store.forgetBlob(key);
  }

  function soon(): void {
    isWanted = true;
    round ??= run().finally(() => (round = null));
  }

  async function run(): Promise<void> {
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false;
      try {
        await sweepAll();
      } catch (error) {
        log.warn({ error: String(error) }, "Deleted files could not be removed. The next round tries again.");
      }
    }
  }

  const timer = setInterval(soon, intervalMs);
  timer.unref();
  soon();
  return {
    soon,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await round;
    },
  };
}
