import type { Clock } from "../clock.ts";
import { overloaded } from "../errors.ts";
import type { Journal } from "./journal.ts";
import type { RecordsLog } from "./log.ts";
import type { RecordStore, UsageRecord } from "./record.ts";
import { RecordRejected } from "./record-rejected.ts";
import { createReplay } from "./replay.ts";
import { settleWithin } from "./settle-within.ts";

/** Makes records durable, whatever the store does. */
export interface Recorder {
  /**
   * Resolves when the record is durable: in the store, or in the journal while the store is away. Rejects only where
   * neither takes it.
   */
  commit(record: UsageRecord): Promise<void>;
  /** Whether a new billable request may be let in: its record will find a place. */
  hasRoom(): boolean;
  /** Whether the store has failed to take records and has taken none since. */
  readonly isStoreAway: boolean;
  /**
   * This key's record with this request id, or its newest with this response id. A record is found from the moment it is
   * committed. Throws 503 `storage_unavailable` where the store does not answer and the record does not wait here.
   */
  find(keyId: string, requestOrResponseId: string): Promise<UsageRecord | null>;
  /** As `find`, by request id alone, whosever it is. */
  findAnyones(requestId: string): Promise<UsageRecord | null>;
  /** Resolves when all that was committed before is durable or lost. */
  flush(): Promise<void>;
  /** Flushes, tries to bring the journal to the store, and stops. Closes the journal, not the store. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly store: RecordStore;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: RecordsLog;
  /** How long a batch may take before it goes to the journal. The store may still commit it: it will not be doubled. */
  readonly storeTimeoutMs?: number;
  /** Pauses between tries while the store is away. */
  readonly shortestPauseMs?: number;
  readonly longestPauseMs?: number;
}

const largestBatch = 500;
/** Characters of answers kept with a batch's records: what a database takes in one statement has an end. */
const largestAnswers = 16 << 20;
/** Records that wait in memory while the store is slow; above it no new request is let in. */
const mostPending = 10_000;

interface Batch {
  readonly records: UsageRecord[];
  answersLength: number;
  readonly durable: PromiseWithResolvers<void>;
}

/**
 * The records of one turn of the event loop are committed together. While an asynchronous store commits one batch, the
 * next one gathers.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { store, journal, clock, log, storeTimeoutMs = 3_000 } = options;
  /** Oldest first; the last one gathers. */
  const waiting: Batch[] = [];
  let inFlight: Batch | null = null;
  let scheduled = false;
  let pendingCount = 0;
  /** When the store began to fail, null while it works. */
  let awaySince: number | null = null;
  let journalFails = false;

  const replay = createReplay({
    journal,
    insert: async (records) => settleWithin(storeTimeoutMs, Promise.resolve(store.insertAll(records))),
    isStoreAway: () => awaySince !== null,
    onStoreBack,
    log,
    shortestPauseMs: options.shortestPauseMs ?? 100,
    longestPauseMs: options.longestPauseMs ?? 5_000,
  });
  if (journal.count > 0) replay.wake();

  function gathering(): Batch {
    const last = waiting.at(-1);
    if (last !== undefined && last.records.length < largestBatch && last.answersLength < largestAnswers) return last;
    const batch = { records: [], answersLength: 0, durable: Promise.withResolvers<void>() };
    // Who asked hears of a failure; a batch that nobody awaits must not end the process.
    batch.durable.promise.catch(() => undefined);
    waiting.push(batch);
    return batch;
  }

  function schedule(): void {
    if (scheduled || inFlight !== null) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      commitWaiting();
    });
  }

  function commitWaiting(): void {
    while (inFlight === null) {
      const batch = waiting.shift();
      if (batch === undefined) return;
      if (awaySince === null) commitToStore(batch);
      else commitToJournal(batch);
    }
  }

  function commitToStore(batch: Batch): void {
    let result: void | Promise<void>;
    try {
      result = store.insertAll(batch.records);
    } catch (error) {
      onStoreFailure(batch, error);
      return;
    }
    if (result === undefined) {
      settle(batch);
      return;
    }
    inFlight = batch;
    settleWithin(storeTimeoutMs, result)
      .then(
        () => settle(batch),
        (error: unknown) => onStoreFailure(batch, error),
      )
      .finally(() => {
        inFlight = null;
        commitWaiting();
      });
  }

  function onStoreFailure(batch: Batch, error: unknown): void {
    if (error instanceof RecordRejected) {
      log.warn({ error: String(error) }, "the store refuses a batch of records; the journal sorts them out");
    } else if (awaySince === null) {
      awaySince = clock.now();
      log.warn({ error: String(error) }, "the store does not take records; the journal keeps them");
    }
    commitToJournal(batch);
    replay.wake();
  }

  function commitToJournal(batch: Batch): void {
    try {
      journal.append(batch.records);
      journalFails = false;
      settle(batch);
    } catch (error) {
      journalFails = true;
      const lost = batch.records.map((record) => record.id);
      log.error({ error: String(error), lost }, "neither the store nor the journal takes records");
      settle(batch, error);
    }
  }

  function settle(batch: Batch, error?: unknown): void {
    pendingCount -= batch.records.length;
    if (error === undefined) batch.durable.resolve();
    else batch.durable.reject(error);
  }

  function onStoreBack(): void {
    if (awaySince === null) return;
    log.info({ away_ms: clock.now() - awaySince, waiting: journal.count }, "the store takes records again");
    awaySince = null;
    journalFails = false;
  }

  function pendingRecords(): UsageRecord[] {
    const batches = inFlight === null ? waiting : [inFlight, ...waiting];
    return batches.flatMap((batch) => batch.records);
  }

  function findPending(keyId: string, id: string): UsageRecord | null {
    const pending = pendingRecords().filter((record) => record.keyId === keyId);
    return pending.find((record) => record.id === id) ?? pending.findLast((record) => record.responseId === id) ?? null;
  }

  async function fromStore(looking: Promise<UsageRecord | null>): Promise<UsageRecord | null> {
    try {
      return await settleWithin(storeTimeoutMs, looking);
    } catch (error) {
      log.warn({ error: String(error) }, "a lookup failed: the store does not answer");
      throw overloaded("storage_unavailable", "Records cannot be read at the moment; try again shortly.", 5);
    }
  }

  async function flush(): Promise<void> {
    const batches = inFlight === null ? waiting : [inFlight, ...waiting];
    await Promise.allSettled(batches.map((batch) => batch.durable.promise));
  }

  return {
    commit(record) {
      const batch = gathering();
      batch.records.push(record);
      batch.answersLength += record.idempotent?.answer?.body.length ?? 0;
      pendingCount += 1;
      schedule();
      return batch.durable.promise;
    },
    hasRoom: () => pendingCount < mostPending && (awaySince === null || (!journalFails && journal.hasRoom())),
    async find(keyId, id) {
      return findPending(keyId, id) ?? journal.find(keyId, id) ?? fromStore(store.find(keyId, id));
    },
    async findAnyones(id) {
      const pending = pendingRecords().find((record) => record.id === id);
      return pending ?? journal.findAnyones(id) ?? fromStore(store.findAnyones(id));
    },
    get isStoreAway() {
      return awaySince !== null;
    },
    flush,
    async close() {
      await flush();
      await replay.finish();
      journal.close();
    },
  };
}
