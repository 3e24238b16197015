import { Database } from "bun:sqlite";
import { yieldToOthers } from "../yield-to-others.ts";

/** The thread of the checkpointer: each message is the path of a database, and is answered when it is done. */
declare const self: Worker;

/** Commits made during a checkpoint are left for the next one, until the log can restart. */
const maxRounds = 5;

let database: Database | null = null;

// On a busy core it would share the time with requests, which then wait for milliseconds. It still gets a tenth of it.
yieldToOthers(10);

self.addEventListener("message", (event: MessageEvent<string>) => {
  database ??= new Database(event.data, { readwrite: true, create: false });
  const checkpoint = database.query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(PASSIVE)");
  for (let round = 0; round < maxRounds; round += 1) {
    const result = checkpoint.get();
    if (result === null || result.log === result.checkpointed) break;
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  self.postMessage("done");
});
