import type { Database } from "bun:sqlite";
import type { StorageLog } from "../storage.ts";

/**
 * SQLite appends what is committed to a log beside the file, and from time to time a checkpoint writes the log back into the
 * file and waits for the disk. By itself it does so within a commit, which then takes many milliseconds, and with it every
 * request of that moment. Here a thread of its own does it with a connection of its own.
 */
export interface Checkpoints {
  /** So many records have just been committed. */
  committed(records: number): void;
  /** Resolves when the thread has let go of the file, or takes too long to. */
  stop(): Promise<void>;
}

/** What the thread is told to do. */
export interface CheckpointOrder {
  readonly path: string;
  /** Let go of the file, and end. */
  readonly isLast: boolean;
}

/** What came of it: how long the log is, and how much of it is not in the file yet. */
export interface CheckpointDone {
  readonly pages: number;
  readonly left: number;
}

/** Records between two checkpoints. */
const everyRecords = 1_000;

/**
 * The log starts over only when a writer finds all of it in the file, which never happens while others write during each
 * checkpoint. Beyond this many pages (4 KiB each) this connection writes the short rest back itself.
 */
const usualLongPages = 16_384;
const shortRest = 2_048;
/** Beyond so many times that length it does so whatever is left: the log must not fill the disk. */
const mostTimes = 8;

/** How long a checkpoint that is under way may hold up the end. */
const patienceMs = 1_000;

/** SQLite's own habit, for when there is no thread to do it. */
const pagesWithoutThread = 1_000;

export interface CheckpointsOptions {
  readonly database: Database;
  readonly path: string;
  readonly log: StorageLog;
  readonly longPages?: number;
}

/** Takes checkpoints over from the connection, as soon as there is something to write back. */
export function startCheckpoints({ database, path, log, longPages = usualLongPages }: CheckpointsOptions): Checkpoints {
  let thread: Worker | null = null;
  let isBusy = false;
  let isStopped = false;
  let sinceLast = 0;

  const giveUp = (reason: unknown) => {
    if (isStopped) return;
    isStopped = true;
    thread?.terminate();
    log.warn({ error: String(reason) }, "checkpoints cannot be made in the background; commits make them");
    database.run(`PRAGMA wal_autocheckpoint = ${pagesWithoutThread}`);
  };
  const onDone = ({ pages, left }: CheckpointDone) => {
    isBusy = false;
    if (isStopped) return;
    const isTooLong = pages > longPages * mostTimes;
    if (isTooLong || (pages > longPages && left < shortRest)) database.run("PRAGMA wal_checkpoint(PASSIVE)");
  };
  const start = (): Worker => {
    const started = new Worker(new URL("./checkpoint-thread.ts", import.meta.url));
    started.unref();
    started.addEventListener("message", ({ data }: MessageEvent<CheckpointDone>) => onDone(data));
    started.addEventListener("error", (event) => giveUp(event.message));
    started.addEventListener("close", () => giveUp("the thread has ended"));
    return started;
  };
  const order = (asked: Worker, isLast: boolean) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    asked.postMessage({ path, isLast } satisfies CheckpointOrder);
  };

  database.run("PRAGMA wal_autocheckpoint = 0");
  return {
    committed(records) {
      sinceLast += records;
      if (isStopped || isBusy || sinceLast < everyRecords) return;
      sinceLast = 0;
      isBusy = true;
      thread ??= start();
      order(thread, false);
    },
    async stop() {
      if (isStopped || !thread) return;
      isStopped = true;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      thread.addEventListener("close", () => resolve());
      order(thread, true);
      await Promise.race([ended, Bun.sleep(patienceMs)]);
    },
  };
}
