import { setImmediate as nextTurn } from "node:timers/promises";
import type { CompactRecord } from "./compact-record.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { RecordsLog } from "./log.ts";
import { RecordRejected } from "./record-rejected.ts";

export interface TransferOptions {
  readonly journal: Journal;
  /** Commits to the store, within a bounded time. An empty batch only tries whether the store can commit. */
  readonly insert: (records: readonly CompactRecord[]) => void | Promise<void>;
  /** Resolves when the store had better be given records; null if now. */
  readonly busy: () => Promise<void> | null;
  /** Whether there is a reason to go on, although no record waits: the store has not come back yet. */
  readonly isStoreAway: () => boolean;
  /** The store has just committed. */
  readonly onStoreWorks: () => void;
  /** The store has just failed to commit, so many times in succession. */
  readonly onStoreFails: (error: unknown, times: number) => void;
  readonly log: RecordsLog;
  /** How long records may gather until there are enough for a batch. */
  readonly gatherMs: number;
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
}

/** Brings the journal's records to the store in batches. */
export interface Transfer {
  /** There are records to bring. Cheap: called for every batch that is appended. */
  wake(): void;
  /** Tries once more without waiting, then stops. */
  finish(): Promise<void>;
}

/** A batch of this size holds the event loop for about half a millisecond on SQLite, which is synchronous. */
export const maxTransferBatch = 128;

/** Between two batches, so that requests have most of the event loop while a backlog goes over. */
const backlogPauseMs = 1;
/** A backlog that is longer than this goes over in every turn of the event loop. */
const maxPausedBacklog = 1_024;

/** How long a store may say that it is busy. */
const maxBusyMs = 1_000;

/** A record that a working store refuses this often is put aside. */
const maxStrikes = 3;

/**
 * A failing batch is halved until one record is left. If that one fails and the store commits without it, the record is
 * at fault: it goes behind the others, and after a few such failures into the journal's `rejected.jsonl`, so that no
 * record can stop the rest.
 */
export function createTransfer(options: TransferOptions): Transfer {
  const { journal, insert, log } = options;
  const strikes = new Map<string, number>();
  let batchSize = maxTransferBatch;
  let failures = 0;
  let running: Promise<void> | null = null;
  let finishing = false;
  let isGathering = false;
  let endPause: (() => void) | null = null;

  /** One try. Whether something was achieved, so that going on at once makes sense. */
  async function step(): Promise<boolean> {
    const entries = journal.next(batchSize);
    try {
      const inserting = insert(entries.map((entry) => journal.read(entry)));
      if (inserting !== undefined) await inserting;
    } catch (error) {
      const [first] = entries;
      if (!(error instanceof RecordRejected)) options.onStoreFails(error, (failures += 1));
      if (entries.length > 1) batchSize = Math.ceil(entries.length / 2);
      else if (first !== undefined) await blame(first, error);
      return error instanceof RecordRejected;
    }
    if (strikes.size > 0) for (const entry of entries) strikes.delete(entry.id);
    journal.remove(entries);
    batchSize = Math.min(batchSize * 2, maxTransferBatch);
    storeWorks();
    return true;
  }

  async function blame(entry: JournalEntry, error: unknown): Promise<void> {
    await nextTurn();
    try {
      await insert([]);
    } catch {
      return;
    }
    storeWorks();
    const count = (strikes.get(entry.id) ?? 0) + 1;
    if (count < maxStrikes && !(error instanceof RecordRejected)) {
      strikes.set(entry.id, count);
      journal.postpone(entry);
      return;
    }
    log.error({ id: entry.id, error: String(error) }, "the store refuses this record; put aside in rejected.jsonl");
    journal.reject(entry);
    strikes.delete(entry.id);
  }

  function storeWorks(): void {
    failures = 0;
    options.onStoreWorks();
  }

  async function run(): Promise<void> {
    let pauseMs = options.minPauseMs;
    // A store that has just failed is given a moment.
    if (options.isStoreAway()) await pause(pauseMs);
    // Those whose records were just appended go first.
    else await nextTurn();
    while (journal.count > 0 || options.isStoreAway()) {
      if (journal.count < maxTransferBatch && !options.isStoreAway() && failures === 0) await gather();
      await untilFree();
      const isLastTry = finishing;
      if (await tryStep()) {
        pauseMs = options.minPauseMs;
        if (finishing || journal.count > maxPausedBacklog) await nextTurn();
        else if (journal.count > 0) await pause(backlogPauseMs);
        continue;
      }
      if (isLastTry) return;
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, options.maxPauseMs);
    }
  }

  async function tryStep(): Promise<boolean> {
    try {
      return await step();
    } catch (error) {
      // The journal itself cannot be read or written: it may be able to later.
      log.error({ error: String(error) }, "bringing records to the store failed");
      return false;
    }
  }

  async function untilFree(): Promise<void> {
    const busy = finishing ? null : options.busy();
    if (busy !== null) await Promise.race([busy, pause(maxBusyMs)]);
  }

  async function gather(): Promise<void> {
    isGathering = true;
    await pause(options.gatherMs);
    isGathering = false;
  }

  function pause(ms: number): Promise<void> {
    if (finishing) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function wake(): void {
    if (finishing) return;
    if (running !== null) {
      if (isGathering && journal.count >= maxTransferBatch) endPause?.();
      return;
    }
    running = run()
      .catch((error: unknown) => log.error({ error: String(error) }, "bringing records to the store has stopped"))
      .finally(() => {
        running = null;
      });
  }

  return {
    wake,
    async finish() {
      wake();
      finishing = true;
      endPause?.();
      await running;
    },
  };
}
