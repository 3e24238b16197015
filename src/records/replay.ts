import { setImmediate as nextTurn } from "node:timers/promises";
import type { Journal, JournalEntry } from "./journal.ts";
import type { RecordsLog } from "./log.ts";
import type { UsageRecord } from "./record.ts";
import { RecordRejected } from "./record-rejected.ts";

export interface ReplayOptions {
  readonly journal: Journal;
  /** Commits to the store, within a bounded time. An empty batch only tries whether the store can commit. */
  readonly insert: (records: readonly UsageRecord[]) => Promise<void>;
  /** Whether there is a reason to go on, although no record waits: the store has not come back yet. */
  readonly isStoreAway: () => boolean;
  /** The store has just committed. */
  readonly onStoreBack: () => void;
  readonly log: RecordsLog;
  readonly shortestPauseMs: number;
  readonly longestPauseMs: number;
}

/** Brings the journal's records to the store as soon as it takes them. */
export interface Replay {
  /** Begins, where it is not under way. */
  wake(): void;
  /** Tries once more without waiting, then stops. */
  finish(): Promise<void>;
}

const largestBatch = 256;

/** A record that a working store refuses this often is put aside. */
const mostStrikes = 3;

/**
 * A failing batch is halved until one record is left. Where that one fails and the store commits without it, the record is
 * at fault: it goes behind the others, and after a few such failures into the journal's `rejected.jsonl`, so that no
 * record can stop the rest.
 */
export function createReplay(options: ReplayOptions): Replay {
  const { journal, insert, log } = options;
  const strikes = new Map<string, number>();
  let batchSize = largestBatch;
  let running: Promise<void> | null = null;
  let finishing = false;
  let endPause: (() => void) | null = null;

  /** One try. Whether something was achieved, so that going on at once makes sense. */
  async function step(): Promise<boolean> {
    const entries = journal.next(batchSize);
    try {
      await insert(entries.map((entry) => journal.read(entry)));
    } catch (error) {
      const [first] = entries;
      if (entries.length > 1) batchSize = Math.ceil(entries.length / 2);
      else if (first !== undefined) await blame(first, error);
      return error instanceof RecordRejected;
    }
    for (const entry of entries) strikes.delete(entry.id);
    journal.remove(entries);
    batchSize = Math.min(batchSize * 2, largestBatch);
    options.onStoreBack();
    return true;
  }

  async function blame(entry: JournalEntry, error: unknown): Promise<void> {
    await nextTurn();
    const storeWorks = await insert([]).then(
      () => true,
      () => false,
    );
    if (!storeWorks) return;
    options.onStoreBack();
    const count = (strikes.get(entry.id) ?? 0) + 1;
    if (count < mostStrikes && !(error instanceof RecordRejected)) {
      strikes.set(entry.id, count);
      journal.postpone(entry);
      return;
    }
    strikes.delete(entry.id);
    log.error({ id: entry.id, error: String(error) }, "the store refuses this record; put aside in rejected.jsonl");
    journal.reject(entry);
  }

  async function run(): Promise<void> {
    let pauseMs = options.shortestPauseMs;
    // A store that has just failed is given a moment, and so is the event loop that a synchronous one keeps to itself.
    if (options.isStoreAway()) await pause(pauseMs);
    while (journal.count > 0 || options.isStoreAway()) {
      const isLastTry = finishing;
      if (await step()) {
        pauseMs = options.shortestPauseMs;
        // A synchronous store would keep the event loop to itself.
        await nextTurn();
        continue;
      }
      if (isLastTry) return;
      if (!finishing) await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, options.longestPauseMs);
    }
  }

  function pause(ms: number): Promise<void> {
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
    if (running !== null || finishing) return;
    running = run()
      .catch((error: unknown) => log.error({ error: String(error) }, "replaying the journal failed"))
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
