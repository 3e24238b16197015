import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Claim, IdempotencyStore, NewClaim, StandingClaim } from "../../idempotency/store.ts";
import type { IdempotencyKeyRow, Tables } from "../schema.ts";

/** A claim that stood in the way may be released before it is looked at; more often than this is no coincidence. */
const maxTries = 5;

/** Claims renewed by one statement: databases take only so many parameters. */
const renewedAtOnce = 1_000;

/** Claims on idempotency keys, alike on every database. */
export function createIdempotencyStore(db: Kysely<Tables>): IdempotencyStore {
  return {
    async claim(claim) {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const made = await claimQuery(claim).execute(db);
        if (made.rows.length > 0) return null;
        const { rows } = await standingQuery(claim).execute(db);
        if (rows[0] !== undefined) return rowToStanding(rows[0]);
      }
      throw new Error("An idempotency key was claimed and released again and again.");
    },
    async renew(claims, leaseUntil) {
      for (let at = 0; at < claims.length; at += renewedAtOnce) {
        await renewQuery(claims.slice(at, at + renewedAtOnce), leaseUntil).execute(db);
      }
    },
    async release({ keyId, idempotencyKey, requestId }) {
      await sql`delete from idempotency_keys where key_id = ${keyId} and idempotency_key = ${idempotencyKey}
        and request_id = ${requestId} and status_code is null`.execute(db);
    },
    async deleteExpired(aliveSince, maxRows) {
      const { rows } = await sql`delete from idempotency_keys where (key_id, idempotency_key) in (
          select key_id, idempotency_key from idempotency_keys where created_at < ${aliveSince}
          order by created_at limit ${maxRows}
        ) returning request_id`.execute(db);
      return rows.length;
    },
  };
}

/** Gives a row if the claim was made. The conditions are looked at and the claim is made in one step. */
function claimQuery(claim: NewClaim): RawBuilder<unknown> {
  return sql`insert into idempotency_keys (key_id, idempotency_key, body_hash, request_id, created_at, lease_until)
    values (${claim.keyId}, ${claim.idempotencyKey}, ${claim.bodyHash}, ${claim.requestId}, ${claim.now},
      ${claim.leaseUntil})
    on conflict (key_id, idempotency_key) do update set body_hash = excluded.body_hash,
      request_id = excluded.request_id, created_at = excluded.created_at, lease_until = excluded.lease_until,
      status_code = null, content_type = null, body = null
    where idempotency_keys.created_at < ${claim.aliveSince}
      or (idempotency_keys.status_code is null and idempotency_keys.lease_until <= ${claim.now})
    returning request_id`;
}

type StandingRow = Pick<IdempotencyKeyRow, "request_id" | "body_hash" | "status_code" | "content_type" | "body">;

/** An answer, which may be large, is read only if it can be repeated. */
function standingQuery({ keyId, idempotencyKey, bodyHash }: NewClaim): RawBuilder<StandingRow> {
  return sql`select request_id, body_hash, status_code, content_type,
      case when body_hash = ${bodyHash} then body end as body
    from idempotency_keys where key_id = ${keyId} and idempotency_key = ${idempotencyKey}`;
}

function rowToStanding({ request_id, body_hash, status_code, content_type, body }: StandingRow): StandingClaim {
  return {
    requestId: request_id,
    bodyHash: body_hash,
    isFinished: status_code !== null,
    answer: content_type !== null && body !== null ? { contentType: content_type, body } : null,
  };
}

/** Prolongs those claims that still hold their keys. Rows are found by key; request ids are unique. */
export function renewQuery(claims: readonly Claim[], leaseUntil: number): RawBuilder<unknown> {
  const keys = claims.map(({ keyId, idempotencyKey }) => sql`(${keyId}, ${idempotencyKey})`);
  const requests = claims.map(({ requestId }) => sql`${requestId}`);
  return sql`update idempotency_keys set lease_until = ${leaseUntil} where status_code is null
    and (key_id, idempotency_key) in (values ${sql.join(keys)}) and request_id in (${sql.join(requests)})`;
}
