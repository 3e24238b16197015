import type { Database } from "bun:sqlite";
import type { IdempotentEnd, UsageRecord } from "../../records/record.ts";

type FinishParameters = [number, string | null, string | null, string, string, string];

/**
 * Ends a request's claim on its idempotency key, within the transaction at hand. False where the key belongs to another
 * request by now.
 */
export function createClaimFinisher(database: Database): (record: UsageRecord, end: IdempotentEnd) => boolean {
  const finish = database.prepare<unknown, FinishParameters>(
    `update idempotency_keys set status_code = ?, content_type = ?, body = ?
      where key_id = ? and idempotency_key = ? and request_id = ?`,
  );
  const holder = database.prepare<unknown, [string, string]>(
    "select 1 from idempotency_keys where key_id = ? and idempotency_key = ?",
  );
  return ({ id, keyId, routing }, { idempotencyKey, answer }) => {
    const { contentType = null, body = null } = answer ?? {};
    const { changes } = finish.run(routing.statusCode, contentType, body, keyId, idempotencyKey, id);
    // A claim that is gone altogether was nobody's to take.
    return changes > 0 || holder.get(keyId, idempotencyKey) === null;
  };
}
