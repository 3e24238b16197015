import { type CompactRecord, expandRecord } from "../../records/compact-record.ts";
import { withoutCharge } from "../without-charge.ts";

/** The changes that a batch makes to the claims of its records, as the parameter `$3` of `finishClaims`. */
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

/** A record, and for which outcome of its claim it is meant: null for any. */
export interface PossibleRecord {
  readonly record: CompactRecord;
  readonly ifLost: boolean | null;
}

/** The records of a batch. Which of them are charged turns out within the statement, so one with a claim is in twice. */
export function forEitherEnd(records: readonly CompactRecord[]): PossibleRecord[] {
  return records.flatMap<PossibleRecord>((record) => {
    if (record.idempotent === undefined) return { record, ifLost: null };
    return [
      { record, ifLost: false },
      { record: withoutCharge(record), ifLost: true },
    ];
  });
}

/** Ends the claims of `$3`, ahead of the statement that inserts their records. */
export const finishClaims = `with ends as (
    select * from json_to_recordset($3::json) as given (key_id text, idempotency_key text, request_id text,
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
