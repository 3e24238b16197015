/** The thread behind `checkpoints.ts`. */

import { Database } from "bun:sqlite";
import type { CheckpointDone, CheckpointOrder } from "./checkpoints.ts";

let database: Database | null = null;

globalThis.addEventListener("message", ({ data }: MessageEvent<CheckpointOrder>) => {
  if (data.isLast) {
    database?.close();
    process.exit();
  }
  database ??= openAt(data.path);
  const [row] = database.query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(PASSIVE)").all();
  postMessage({ pages: row?.log ?? 0, left: (row?.log ?? 0) - (row?.checkpointed ?? 0) } satisfies CheckpointDone);
});

function openAt(path: string): Database {
  const opened = new Database(path, { readwrite: true, create: false });
  // Writing back never waits for anyone: what is in use is left for the next time.
  opened.run("PRAGMA busy_timeout = 0");
  opened.run("PRAGMA wal_autocheckpoint = 0");
  return opened;
}
