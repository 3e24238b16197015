import { statSync } from "node:fs";
import type { StorageLog } from "../storage.ts";

/** Moves what was committed from the write-ahead log to the database, in a thread of its own. */
export interface Checkpointer {
  stop(): Promise<void>;
}

const intervalMs = 1_000;
/** Below this size of the log there is nothing to gain. It keeps its size when it begins anew. */
const minWalBytes = 2 * 1024 * 1024;

/**
 * A checkpoint waits for the disk, 20 ms and more, and would hold up every request meanwhile. The thread is not started
 * before there is enough for it to do.
 */
export function startCheckpointer(path: string, log: StorageLog): Checkpointer {
  let worker: Worker | null = null;
  let isBusy = false;
  let lastChange = 0;

  function start(): Worker {
    const started = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), { smol: true });
    started.unref();
    started.addEventListener("message", () => {
      isBusy = false;
    });
    started.addEventListener("error", (event) => {
      isBusy = false;
      worker = null;
      log.warn({ error: event.message }, "a checkpoint of the SQLite file failed");
    });
    return started;
  }

  const timer = setInterval(() => {
    const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (isBusy || wal === undefined || wal.size < minWalBytes || wal.mtimeMs === lastChange) return;
    lastChange = wal.mtimeMs;
    isBusy = true;
    worker ??= start();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage(path);
  }, intervalMs);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      worker?.terminate();
    },
  };
}
