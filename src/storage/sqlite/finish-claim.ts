import type { Database } from "bun:sqlite";
import { type CompactRecord, expandRecord } from "../../records/compact-record.ts";
import type { IdempotentEnd } from "../../records/record.ts";

type FinishParameters = [number, string | null, string | null, string, string, string];

/**
 * Ends a request's claim on its idempotency key, within the transaction at hand. False if the key belongs to another
 * request by now.
 */
export function createClaimFinisher(database: Database): (record: CompactRecord, end: IdempotentEnd) => boolean {
  const finish = database.prepare<unknown, FinishParameters>(
    `update idempotency_keys set status_code = ?, content_type = ?, body = ?
      where key_id = ? and idempotency_key = ? and request_id = ?`,
  );
  const holder = database.prepare<unknown, [string, string]>(
    "select 1 from idempotency_keys where key_id = ? and idempotency_key = ?",
  );
  return (record, { idempotencyKey, answer }) => {
    const { id, keyId } = record;
    const { contentType = null, body = null } = answer ?? {};
    const { changes } = finish.run(
      expandRecord(record).routing.statusCode,
      contentType,
      body,
      keyId,
      idempotencyKey,
      id,
    );
    // A claim that has been removed was not taken by another request.
    return changes > 0 || holder.get(keyId, idempotencyKey) === null;
  };
}
