import type { CompactRecord } from "./compact-record.ts";
import type { UsageRecord } from "./record.ts";

/** The store of records. Implemented by `src/storage/`. */
export interface RecordStore {
  /**
   * Whether other processes look records up in it: then a record must be in it before its commit resolves. Otherwise it
   * may follow a moment later.
   */
  readonly isShared: boolean;
  /** Resolves when records that can wait had better come; null if now. */
  busy(): Promise<void> | null;
  /**
   * Commits all of them in one transaction, or none. A record whose id is there already is left as it was (a replay
   * after a crash must not double it), unless that one has status `pending` and this one has not: it takes its place.
   * Synchronous if the storage is, so that a batch costs no extra turn. An empty batch only tries whether the store can
   * commit, by really writing. Throws a `RecordRejected` if a record itself is at fault.
   * The same transaction ends the claims of requests with an `Idempotency-Key`. One that has lost its key to another
   * request (its process was cut off from the store for longer than its lease) is kept without a charge: the other pays.
   */
  insertAll(records: readonly CompactRecord[]): void | Promise<void>;
  /** This key's record with this request id, or its newest with this response id. */
  find(keyId: string, requestOrResponseId: string): Promise<UsageRecord | null>;
  /** The record with this request id, of any key: for operators. */
  findAnyones(requestId: string): Promise<UsageRecord | null>;
}
