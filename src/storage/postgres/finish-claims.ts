import { type CompactRecord, expandRecord } from "../../records/compact-record.ts";
import { recordToRow } from "../record-row.ts";
import { withoutCharge } from "../without-charge.ts";
import { rollupFieldsOf } from "./roll-up.ts";

/** The changes that a batch makes to the claims of its records, as the parameter of `finishClaims`. */
export function claimEnds(records: readonly CompactRecord[]): object[] {
  const ends: object[] = [];
  for (const record of records) {
    const { id, keyId, idempotent } = record;
    if (idempotent === undefined) continue;
    ends.push({
      key_id: keyId,
      idempotency_key: idempotent.idempotencyKey,
      request_id: id,
      status_code: expandRecord(record).routing.statusCode,
      content_type: idempotent.answer?.contentType ?? null,
      body: idempotent.answer?.body ?? null,
    });
  }
  return ends;
}

/**
 * The rows of a batch that ends claims. Which of its records are charged turns out within the statement, so one with a
 * claim is in twice: `if_lost` says for which case a row is meant, null for any.
 */
export function rowsForEitherEnd(records: readonly CompactRecord[]): object[] {
  return records.flatMap<object>((record) => {
    const row = { ...recordToRow(record), ...rollupFieldsOf(record) };
    if (record.idempotent === undefined) return { ...row, if_lost: null };
    return [
      { ...row, if_lost: false },
      { ...row, ...recordToRow(withoutCharge(record)), if_lost: true },
    ];
  });
}

/** Ends the claims of `$2`, ahead of the statement that inserts their records. */
export const finishClaims = `with ends as (
    select * from json_to_recordset($2::json) as given (key_id text, idempotency_key text, request_id text,
      status_code integer, content_type text, body text)
  ),
  held as (
    select ends.*, claim.request_id as holder from ends join idempotency_keys claim
      on claim.key_id = ends.key_id and claim.idempotency_key = ends.idempotency_key
      for update of claim
  ),
  finished as (
    update idempotency_keys claim set status_code = held.status_code, content_type = held.content_type, body = held.body
      from held where claim.key_id = held.key_id and claim.idempotency_key = held.idempotency_key
        and held.holder = held.request_id
  )`;

/** Which rows of `given` to insert after that. */
export const rightEnd = `if_lost is null or if_lost = exists (
    select 1 from held where held.request_id = given.id and held.holder <> held.request_id
  )`;
