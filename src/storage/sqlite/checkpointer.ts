import { statSync } from "node:fs";
import type { StorageLog } from "../storage.ts";

/** Moves what was committed from the write-ahead log to the database, in a thread of its own. */
export interface Checkpointer {
  /** So many records were committed. */
  wrote(records: number): void;
  /** Resolves when no checkpoint runs any more; null if none does. */
  running(): Promise<void> | null;
  stop(): void;
}

/** Records after which the log is to be restarted. A log of a few megabytes is written to faster than one that grows. */
const maxRecords = 4_096;
/** How often the log is looked at for what others have written. */
const intervalMs = 1_000;
/** Below this size of the log there is nothing to gain. It keeps its size when it is restarted. */
const minWalBytes = 2 * 1024 * 1024;

/**
 * A checkpoint waits for the disk, 20 ms and more, and would delay every request meanwhile. The log restarts only if
 * nothing is written to it while a checkpoint runs: so records wait for `running`. The thread is not started before there
 * is enough for it to do.
 */
export function startCheckpointer(path: string, log: StorageLog): Checkpointer {
  let worker: Worker | null = null;
  let current: PromiseWithResolvers<void> | null = null;
  let records = 0;
  let lastChange = 0;

  function start(): Worker {
    const started = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), { smol: true });
    started.unref();
    started.addEventListener("message", end);
    started.addEventListener("error", (event) => {
      worker = null;
      log.warn({ error: event.message }, "a checkpoint of the SQLite file failed");
      end();
    });
    return started;
  }

  function end(): void {
    current?.resolve();
    current = null;
  }

  function checkpoint(): void {
    if (current !== null) return;
    records = 0;
    current = Promise.withResolvers();
    worker ??= start();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage(path);
  }

  const timer = setInterval(() => {
    const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (wal === undefined || wal.size < minWalBytes || wal.mtimeMs === lastChange) return;
    lastChange = wal.mtimeMs;
    checkpoint();
  }, intervalMs);
  timer.unref();

  return {
    wrote(count) {
      records += count;
      if (records >= maxRecords) checkpoint();
    },
    running: () => current?.promise ?? null,
    stop() {
      clearInterval(timer);
      worker?.terminate();
      end();
    },
  };
}
