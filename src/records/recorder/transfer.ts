import { setImmediate as nextTurn } from "node:timers/promises";
import type { CompactRecord } from "../compact-record.ts";
import type { Journal, JournalEntry } from "../journal/journal.ts";
import type { RecordsLog } from "../log.ts";
import { RecordRejected } from "../record-rejected.ts";

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
  /** The pauses before a record that the store refuses is tried again. After the last try it is put aside. */
  readonly retryMs: readonly number[];
}

/** Brings the journal's records to the store in batches. */
export interface Transfer {
  /** There are records to bring. Cheap: called for every batch that is appended. */
  wake(): void;
  /** Brings what waits now without letting it gather. Resolves when the store has taken or refused all of it. */
  passOn(): Promise<void>;
  /** Tries once more without waiting, then stops. */
  finish(): Promise<void>;
}

/**
 * A batch holds the event loop, as SQLite is synchronous: for one to two milliseconds. Twice as many cost a record a tenth
 * less, and hold it for nearly twice as long.
 */
export const maxTransferBatch = 64;

/** Between two batches, so that requests have most of the event loop while a backlog goes over. */
const backlogPauseMs = 1;
/** A backlog that is longer than this goes over in every turn of the event loop. */
const maxPausedBacklog = 1_024;

/** How long a store may say that it is busy. */
const maxBusyMs = 1_000;

/**
 * Records that may wait to be tried again: each may keep a segment of the journal from being used again. If a working store
 * refuses this many in succession, it is not the records that are at fault.
 */
const maxRefused = 16;

const putAsideForGood =
  "the store refuses this record: it is put aside in rejected.jsonl, beside the journal, and can no longer be looked up. " +
  "Mend what the error says, rename the file to retry.jsonl and restart: its records are tried again";
const cannotPutAside =
  "the store refuses this record, and rejected.jsonl, beside the journal, does not take it: it stays in the journal, which " +
  "will fill up. Mend what the error says, then rename rejected.jsonl to retry.jsonl and restart; or move the file away";

/** A record that the store refuses. */
interface Refused {
  tries: number;
  /** `takenCount` when it was refused first. */
  readonly since: number;
  /** Until it is tried again. Null while it is on its way to the store. */
  timer: ReturnType<typeof setTimeout> | null;
}

/**
 * A failing batch is halved until one record is left. If that one fails and the store commits without it, the record is at
 * fault: it is tried again by itself, after longer and longer pauses, while the others go on. In the end it is put aside in
 * the journal's `rejected.jsonl`, so that no record can stop the rest. A store that refuses one after the other counts as
 * failing, and everything stays in the journal.
 */
export function createTransfer(options: TransferOptions): Transfer {
  const { journal, insert, log, retryMs } = options;
  const refused = new Map<string, Refused>();
  /** Ids of refused records whose pause has ended. */
  const due: string[] = [];
  let isDueNext = false;
  /** Different records that the store has refused since it last took one. */
  let refusedInSuccession = 0;
  /** Records that the store has taken. */
  let takenCount = 0;
  let isRejectedFull = false;
  let batchSize = maxTransferBatch;
  let failures = 0;
  let running: Promise<void> | null = null;
  let finishing = false;
  let isGathering = false;
  let endPause: (() => void) | null = null;

  /** Records that the store has taken, or has refused for the first time. */
  let passedCount = 0;
  /** Those that wait until so many are passed. */
  const awaited: { readonly count: number; readonly done: () => void }[] = [];

  /** The oldest records are passed first, so a count tells which. */
  function passed(count: number): void {
    passedCount += count;
    while (awaited[0] !== undefined && awaited[0].count <= passedCount) awaited.shift()?.done();
  }

  /** Records that can be brought to the store now. */
  function ready(): number {
    return journal.count - refused.size + due.length;
  }

  function refusesAll(): boolean {
    return refusedInSuccession > maxRefused;
  }

  /** What is tried next, in turns: a batch of records that were not refused, and one that was. */
  function nextEntries(): JournalEntry[] {
    isDueNext = !isDueNext;
    // While the store seems to refuse everything, only records that it has not refused yet can show that it does not.
    const others = isDueNext && due.length > 0 && !refusesAll() ? [] : journal.next(batchSize, refused);
    if (others.length > 0) return others;
    for (let id = due.shift(); id !== undefined; id = due.shift()) {
      const entry = journal.entryOf(id);
      if (entry !== null) return [entry];
      refused.delete(id);
    }
    return [];
  }

  /** One try. Whether something was achieved, so that going on at once makes sense. */
  async function step(): Promise<boolean> {
    const entries = nextEntries();
    try {
      const inserting = insert(entries.map((entry) => journal.read(entry)));
      if (inserting !== undefined) await inserting;
    } catch (error) {
      const [first] = entries;
      if (!(error instanceof RecordRejected)) options.onStoreFails(error, (failures += 1));
      if (first === undefined) return false;
      if (entries.length === 1) return blame(first, error);
      batchSize = Math.ceil(entries.length / 2);
      return error instanceof RecordRejected;
    }
    takenCount += entries.length;
    if (entries.length > 0) refusedInSuccession = 0;
    const refusedBefore = refused.size;
    if (refusedBefore > 0) for (const { id } of entries) accepted(id);
    journal.remove(entries);
    passed(entries.length - (refusedBefore - refused.size));
    batchSize = Math.min(batchSize * 2, maxTransferBatch);
    storeWorks();
    return true;
  }

  function accepted(id: string): void {
    if (refused.delete(id)) log.info({ id }, "the store has taken a record that it refused before");
  }

  /** Deals with a record that failed by itself. Whether the others can go on at once. */
  async function blame(entry: JournalEntry, error: unknown): Promise<boolean> {
    const known = refused.get(entry.id);
    const commits = await storeCommits();
    if (commits && known === undefined) refusedInSuccession += 1;
    if (!commits || refusesAll()) {
      if (known !== undefined) due.push(entry.id);
      // Of the next one the store may think otherwise.
      else if (commits) journal.postpone(entry);
      if (commits) options.onStoreFails(error, Infinity);
      return false;
    }
    storeWorks();
    hold(entry.id, known ?? { tries: 0, since: takenCount, timer: null }, error);
    return true;
  }

  function hold(id: string, record: Refused, error: unknown): void {
    if (!refused.has(id)) passed(1);
    refused.set(id, record);
    record.tries += 1;
    // A store that has taken nothing since may refuse everything.
    if (record.tries > retryMs.length && takenCount > record.since) putAside(id, record, error);
    else tryAgain(id, record, error);
    if (refused.size <= maxRefused) return;
    for (const [oldest, its] of refused) {
      if (oldest !== id) putAside(oldest, its, error);
      return;
    }
  }

  async function storeCommits(): Promise<boolean> {
    await nextTurn();
    try {
      await insert([]);
      return true;
    } catch {
      return false;
    }
  }

  function tryAgain(id: string, record: Refused, error: unknown): void {
    const pauseMs = retryMs[Math.min(record.tries, retryMs.length) - 1] ?? options.maxPauseMs;
    const { tries } = record;
    log.warn({ id, error: String(error), tries, pause_ms: pauseMs }, "the store refuses a record; it is tried again");
    if (record.timer !== null) clearTimeout(record.timer);
    record.timer = null;
    if (finishing) return;
    record.timer = setTimeout(() => {
      record.timer = null;
      due.push(id);
      wake();
    }, pauseMs);
    record.timer.unref();
  }

  /** A record has been tried for the last time. If `rejected.jsonl` does not take it, it stays in the journal. */
  function putAside(id: string, record: Refused, error: unknown): void {
    const entry = journal.entryOf(id);
    const fields = { id, error: String(error), tries: record.tries };
    try {
      if (entry !== null) journal.reject(entry);
    } catch (cause) {
      if (!isRejectedFull) log.error({ ...fields, cause: String(cause) }, cannotPutAside);
      isRejectedFull = true;
      tryAgain(id, record, error);
      return;
    }
    isRejectedFull = false;
    if (record.timer !== null) clearTimeout(record.timer);
    refused.delete(id);
    if (entry !== null) log.error(fields, putAsideForGood);
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
    while (ready() > 0 || options.isStoreAway()) {
      const isAwaited = awaited.length > 0;
      if (!isAwaited && ready() < maxTransferBatch && !options.isStoreAway() && failures === 0) await gather();
      await untilFree();
      const isLastTry = finishing;
      if (await tryStep()) {
        pauseMs = options.minPauseMs;
        if (finishing || journal.count > maxPausedBacklog) await nextTurn();
        else if (ready() > 0) await pause(backlogPauseMs);
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
    const busy = finishing || awaited.length > 0 ? null : options.busy();
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
    passOn() {
      const count = passedCount + journal.count - refused.size;
      if (count <= passedCount) return Promise.resolve();
      return new Promise((done) => {
        awaited.push({ count, done });
        wake();
        if (isGathering) endPause?.();
      });
    },
    async finish() {
      for (const [id, record] of refused) {
        if (record.timer === null) continue;
        clearTimeout(record.timer);
        record.timer = null;
        due.push(id);
      }
      wake();
      finishing = true;
      endPause?.();
      await running;
    },
  };
}
