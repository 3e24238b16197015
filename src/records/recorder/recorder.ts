import type { Clock } from "../../clock.ts";
import { overloaded } from "../../errors.ts";
import { type CompactRecord, compactRecord, expandRecord } from "../compact-record.ts";
import type { Journal } from "../journal/journal.ts";
import { createLateCommits } from "./late-commits.ts";
import type { RecordsLog } from "../log.ts";
import type { UsageRecord } from "../record.ts";
import type { RecordStore } from "../record-store.ts";
import { RecordRejected } from "../record-rejected.ts";
import { settleWithin } from "./settle-within.ts";
import { createTransfer } from "./transfer.ts";

/** Makes records durable, whatever the store does. */
export interface Recorder {
  /**
   * Resolves when the record is durable: in the journal on its way to the store, or in the store. Rejects only if it is
   * in neither, and may then be tried again. A record with status `pending` is replaced, once, by one with its id and
   * another status.
   */
  commit(record: UsageRecord): Promise<void>;
  /** Commits a record whose `commit` has rejected, as soon as that can be done; until then it is held in memory. */
  commitLater(record: UsageRecord): void;
  /**
   * Reserves room on disk for the record of one request, to be called before a provider is. False if there is none: then
   * the request must be refused. Each reservation is given back by `release`, once, after its record's `commit` has
   * resolved or if there will be none.
   */
  reserve(): boolean;
  release(): void;
  /** Whether a new billable request may be let in: its record will find a place beside all that are reserved. */
  hasRoom(): boolean;
  /** Whether the store has failed to take records and has taken none since. */
  readonly isStoreAway: boolean;
  /**
   * This key's record with this request id, or its newest with this response id. A record is found from the moment it is
   * committed. Throws 503 `storage_unavailable` if the store does not answer and the record does not wait here.
   */
  find(keyId: string, requestOrResponseId: string): Promise<UsageRecord | null>;
  /** As `find`, by request id alone, for any key. */
  findAnyones(requestId: string): Promise<UsageRecord | null>;
  /**
   * Resolves when all that was committed before is in the store, except for records that the store refuses. Throws 503
   * `storage_unavailable` if the store does not take them in time.
   */
  stored(): Promise<void>;
  /**
   * Takes over what dead processes have left in the journal's folder. True if all that was taken over is in the store.
   */
  adoptLeft(): boolean;
  /**
   * What the charges of an account come to that are durable, and not in the store yet. Until a charge is durable, its hold
   * stands for it.
   */
  unstoredMicrousd(accountId: string): number;
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
  /** How long appended records may gather before they are brought to the store. */
  readonly gatherMs?: number;
  /** Pauses between tries while the store is away. */
  readonly minPauseMs?: number;
  readonly maxPauseMs?: number;
  /** Pauses before a record that the store refuses is tried again, each once. */
  readonly retryMs?: readonly number[];
  /** The first pause before a record is tried again that neither the store nor the journal has taken. */
  readonly minLatePauseMs?: number;
}

const maxBatch = 500;
/** Characters of answers kept with a batch's records: what a database takes in one statement has an end. */
const maxAnswers = 16 << 20;
/** Records that wait in memory while the store is slow; above it no new request is let in. */
const maxWaiting = 10_000;
/** A transfer that fails this often in succession means that the store is away, not that another process is writing. */
const maxTransferFailures = 4;

interface Batch {
  readonly records: CompactRecord[];
  answersLength: number;
  readonly durable: PromiseWithResolvers<void>;
}

/**
 * The records of one turn of the event loop are made durable together: appended to the journal, from which they go to the
 * store in batches of their own. Records that must be in the store before their commit resolves are committed to it
 * directly: those that end the claim of an idempotency key, and all if several processes share the store. While an
 * asynchronous store commits one batch, the next one gathers. The journal takes what the store does not.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { store, journal, clock, log, storeTimeoutMs = 3_000 } = options;
  /** Lines that are appended in this turn. */
  let appending: Batch | null = null;
  /** Batches that go to the store directly, oldest first; the last one gathers. */
  const waiting: Batch[] = [];
  let inFlight: Batch | null = null;
  let scheduled = false;
  let waitingCount = 0;
  /** When the store began to fail, null while it works. */
  let awaySince: number | null = null;
  let journalFails = false;
  /** Why the last transfer failed, null if it did not. */
  let transferError: unknown = null;

  const transfer = createTransfer({
    journal,
    insert(records) {
      const inserting = store.insertAll(records);
      return inserting === undefined ? undefined : settleWithin(storeTimeoutMs, inserting);
    },
    busy: () => store.busy(),
    isStoreAway: () => awaySince !== null,
    onStoreWorks,
    onStoreFails(error, times) {
      transferError = error;
      if (times >= maxTransferFailures) storeIsAway(error);
    },
    log,
    gatherMs: options.gatherMs ?? 50,
    minPauseMs: options.minPauseMs ?? 50,
    maxPauseMs: options.maxPauseMs ?? 5_000,
    retryMs: options.retryMs ?? [1_000, 5_000, 30_000, 120_000, 600_000],
  });
  if (journal.count > 0) transfer.wake();

  function newBatch(): Batch {
    const batch = { records: [], answersLength: 0, durable: Promise.withResolvers<void>() };
    // Those who asked hear of a failure; a batch that is not awaited must not end the process.
    batch.durable.promise.catch(() => undefined);
    return batch;
  }

  function gathering(): Batch {
    const last = waiting.at(-1);
    if (last !== undefined && last.records.length < maxBatch && last.answersLength < maxAnswers) return last;
    const batch = newBatch();
    waiting.push(batch);
    return batch;
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(endTurn);
  }

  function endTurn(): void {
    scheduled = false;
    if (appending !== null) {
      const batch = appending;
      appending = null;
      append(batch);
    }
    commitWaiting();
  }

  function commitWaiting(): void {
    while (inFlight === null) {
      const batch = waiting.shift();
      if (batch === undefined) return;
      waitingCount -= batch.records.length;
      if (awaySince === null) commitToStore(batch);
      else append(batch);
    }
  }

  function commitToStore(batch: Batch, onFailure: typeof onCommitFailure = onCommitFailure): void {
    let result: void | Promise<void>;
    try {
      result = store.insertAll(batch.records);
    } catch (error) {
      onFailure(batch, error);
      return;
    }
    if (result === undefined) {
      batch.durable.resolve();
      return;
    }
    inFlight = batch;
    settleWithin(storeTimeoutMs, result)
      .then(
        () => batch.durable.resolve(),
        (error: unknown) => onFailure(batch, error),
      )
      .finally(() => {
        inFlight = null;
        commitWaiting();
      });
  }

  function onCommitFailure(batch: Batch, error: unknown): void {
    if (error instanceof RecordRejected) {
      log.warn({ error: String(error) }, "the store refuses a batch of records; the journal sorts them out");
    } else storeIsAway(error);
    append(batch);
  }

  function append(batch: Batch): void {
    try {
      journal.append(batch.records);
    } catch (error) {
      onAppendFailure(batch, error);
      return;
    }
    journalFails = false;
    batch.durable.resolve();
    transfer.wake();
  }

  function onAppendFailure(batch: Batch, error: unknown): void {
    journalFails = true;
    if (awaySince === null && inFlight === null) {
      log.warn({ error: String(error) }, "the journal does not take records; they go to the store directly");
      commitToStore(batch, (_batch, storeError) => {
        storeIsAway(storeError);
        lose(batch, error);
      });
    } else lose(batch, error);
  }

  function lose(batch: Batch, error: unknown): void {
    const ids = batch.records.map((record) => record.id);
    log.error({ error: String(error), ids }, "neither the store nor the journal takes records");
    batch.durable.reject(error);
  }

  function storeIsAway(error: unknown): void {
    if (awaySince !== null) return;
    awaySince = clock.now();
    log.warn({ error: String(error) }, "the store does not take records; the journal keeps them");
    transfer.wake();
  }

  function onStoreWorks(): void {
    transferError = null;
    if (awaySince === null) return;
    log.info({ away_ms: clock.now() - awaySince, waiting: journal.count }, "the store takes records again");
    awaySince = null;
  }

  function takesRecords(): boolean {
    return waitingCount < maxWaiting && !(journalFails && awaySince !== null);
  }

  /** A journal that has filled while transfers failed has waited long enough for the store. */
  function isFull(): false {
    if (transferError !== null) storeIsAway(transferError);
    return false;
  }

  /** Records that are not durable yet, oldest first. */
  function undurable(): Batch[] {
    return [inFlight, ...waiting, appending].filter((batch) => batch !== null);
  }

  function unwritten(): CompactRecord[] {
    return undurable().flatMap((batch) => batch.records);
  }

  function findUnwritten(keyId: string, id: string): UsageRecord | null {
    const records = unwritten().filter((record) => record.keyId === keyId);
    const found =
      records.findLast((record) => record.id === id) ?? records.findLast((record) => record.responseId === id);
    return found === undefined ? null : expandRecord(found);
  }

  function findLate(keyId: string, id: string): UsageRecord | null {
    for (const record of late.all()) {
      if (record.keyId === keyId && (record.id === id || record.responseId === id)) return record;
    }
    return null;
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
    await Promise.allSettled(undurable().map((batch) => batch.durable.promise));
  }

  function commit(record: UsageRecord): Promise<void> {
    const compacted = compactRecord(record);
    let batch: Batch;
    if (store.isShared || compacted.idempotent !== undefined) {
      batch = gathering();
      batch.answersLength += compacted.idempotent?.answer?.body.length ?? 0;
      waitingCount += 1;
    } else batch = appending ??= newBatch();
    batch.records.push(compacted);
    schedule();
    return batch.durable.promise;
  }

  const late = createLateCommits(commit, log, options.minLatePauseMs ?? 250);

  return {
    commit,
    commitLater: (record) => late.add(record),
    reserve: () => (takesRecords() && journal.reserve()) || isFull(),
    release: () => journal.release(),
    hasRoom: () => (takesRecords() && journal.hasRoom()) || isFull(),
    async find(keyId, id) {
      const found = findUnwritten(keyId, id) ?? journal.find(keyId, id) ?? findLate(keyId, id);
      return found ?? fromStore(store.find(keyId, id));
    },
    async findAnyones(id) {
      const found = unwritten().findLast((record) => record.id === id);
      if (found !== undefined) return expandRecord(found);
      for (const record of late.all()) if (record.id === id) return record;
      return journal.findAnyones(id) ?? fromStore(store.findAnyones(id));
    },
    get isStoreAway() {
      return awaySince !== null;
    },
    async stored() {
      await flush();
      try {
        if (awaySince !== null) throw new Error("The store is away.");
        await settleWithin(storeTimeoutMs, transfer.passOn());
      } catch {
        throw overloaded("storage_unavailable", "Records cannot be read at the moment; try again shortly.", 5);
      }
    },
    adoptLeft() {
      const isDone = journal.adoptLeft();
      if (journal.count > 0) transfer.wake();
      return isDone && awaySince === null;
    },
    unstoredMicrousd: (accountId) => journal.chargedMicrousd(accountId),
    flush,
    async close() {
      await flush();
      await late.close();
      await transfer.finish();
      journal.close();
    },
  };
}
