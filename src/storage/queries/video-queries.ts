import { requestIdAt } from "../../identifiers.ts";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CompactRecord } from "../../records/compact-record.ts";
import type { VideoFacts, VideoJob, VideoJobStore, VideoPhase, VideoStatus } from "../../videos/video-job.ts";
import type { NewEvent } from "../../webhooks/outbox.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { Tables, VideoJobRow } from "../schema.ts";
import type { Statement } from "./change-queries.ts";

/** A submit ends within this, with all of its attempts: one hour. */
const longestSubmitMs = 3_600_000;

/**
 * Runs statements in one transaction, and commits records in it. False, with nothing changed, if the first statement changes
 * no row.
 */
export type CommitStatements = (
  first: Statement,
  others: readonly Statement[],
  records: readonly CompactRecord[],
) => Promise<boolean>;

/** Jobs that make films, alike on every database. */
export function createVideoJobStore(db: Kysely<Tables>, kind: StorageKind, commit: CommitStatements): VideoJobStore {
  const lock = sql.raw(kind === "postgres" ? "for update skip locked" : "");

  /** Changes a job that is at its version, unless its bytes were given up meanwhile. */
  const changing = (job: VideoJob): RawBuilder<unknown> => {
    const { id: _, version, ...row } = jobToRow(job);
    const changes = Object.entries({ ...row, version: version + 1 });
    const blob =
      job.blobKey === null
        ? sql`true`
        : sql`exists (select 1 from blobs where blobs.key = ${job.blobKey} and blobs.sha256 is not null)`;
    return sql`update video_jobs set ${sql.join(changes.map(([name, value]) => sql`${sql.ref(name)} = ${value}`))}
      where id = ${job.id} and version = ${version} and ${blob}`;
  };
  const compiled = (query: RawBuilder<unknown>): Statement => query.compile(db);

  const adding = ({ id, kind: eventKind, accountId, payload, createdAt }: NewEvent): RawBuilder<unknown> =>
    sql`insert into outbox (id, kind, account_id, payload, created_at, next_attempt_at)
      values (${id}, ${eventKind}, ${accountId}, ${payload}, ${createdAt}, ${createdAt}) on conflict (id) do nothing`;

  /** What a job holds of budgets. The ledger ends that only for what has an entry in it. */
  const endHolds = ({ requestId }: VideoJob): Statement[] => [
    compiled(sql`update budget_counters set held_microusd = held_microusd - ended.amount_microusd
      from budget_holds as ended where ended.request_id = ${requestId} and ended.budget_id = budget_counters.budget_id
        and ended.starts_at = budget_counters.starts_at and ended.subject = budget_counters.subject`),
    compiled(sql`delete from budget_holds where request_id = ${requestId}`),
  ];

  const found = async (query: RawBuilder<VideoJobRow>): Promise<VideoJob[]> =>
    (await query.execute(db)).rows.map(rowToJob);
  const first = async (query: RawBuilder<VideoJobRow>): Promise<VideoJob | null> => (await found(query))[0] ?? null;
  const countOf = async (query: RawBuilder<unknown>): Promise<number> => (await query.execute(db)).rows.length;

  return {
    async create(job, record) {
      const row = jobToRow(job);
      const insert = sql`insert into video_jobs (${sql.join(columns.map((column) => sql.ref(column)))})
        values (${sql.join(columns.map((column) => row[column]))})`;
      await commit(compiled(insert), [], [record]);
    },
    change: (job) => commit(compiled(changing(job)), [], []),
    accept(job, record) {
      const update = sql`update requests set body = ${record.body} where id = ${record.id} and status = 'pending'`;
      return commit(compiled(changing(job)), [compiled(update)], []);
    },
    end: ({ job, record, event }) =>
      commit(
        compiled(changing(job)),
        [...endHolds(job), ...(event === null ? [] : [compiled(adding(event))])],
        [record],
      ),
    drop({ job, record }) {
      const remove = sql`delete from video_jobs where id = ${job.id} and version = ${job.version}`;
      const free = sql`delete from idempotency_keys where key_id = ${job.facts.keyId}
        and idempotency_key = ${job.facts.idempotencyKey} and request_id = ${job.requestId}`;
      const freeing = job.facts.idempotencyKey === null ? [] : [compiled(free)];
      return commit(compiled(remove), [...endHolds(job), ...freeing], [record]);
    },
    async renew({ id, version }, until) {
      await sql`update video_jobs set next_at = ${until} where id = ${id} and version = ${version}`.execute(db);
    },
    find: (accountId, id) =>
      first(sql`select * from video_jobs where id = ${id} and account_id = ${accountId} and deleted_at is null`),
    findAnyones: (id) => first(sql`select * from video_jobs where id = ${id}`),
    list({ accountId, after, order, limit }) {
      const beyond = after === null ? sql`true` : order === "asc" ? sql`id > ${after}` : sql`id < ${after}`;
      return found(sql`select * from video_jobs where account_id = ${accountId} and deleted_at is null and ${beyond}
        order by id ${sql.raw(order)} limit ${limit}`);
    },
    listAll({ after, limit, unpaid, accountId = null, status = null }) {
      const beyond = after === null ? sql`true` : sql`id < ${after}`;
      const costly = unpaid ? sql`provider_cost_microusd > 0` : sql`true`;
      const owned = accountId === null ? sql`true` : sql`account_id = ${accountId}`;
      const stands = status === null ? sql`true` : sql`status = ${status}`;
      return found(sql`select * from video_jobs where ${beyond} and ${costly} and ${owned} and ${stands}
        order by id desc limit ${limit}`);
    },
    async claim(provider, now, until, limit) {
      const due = sql`provider = ${provider} and next_at <= ${now}`;
      // Asked first, so that a table without work is read and not written every time.
      if ((await countOf(sql`select 1 from video_jobs where ${due} limit 1`)) === 0) return [];
      return found(sql`update video_jobs set next_at = ${until}, is_leased = 1, version = version + 1
        where id in (select id from video_jobs where ${due} order by next_at limit ${limit} ${lock}) returning *`);
    },
    async otherProviders(known, now) {
      const { rows } = await sql<{ provider: string }>`select distinct provider from video_jobs
        where next_at <= ${now} and provider not in (${sql.join(known)})`.execute(db);
      return rows.map(({ provider }) => provider);
    },
    async isKnown(providers, providerJobId) {
      const of = sql`provider in (${sql.join(providers)}) and provider_job_id = ${providerJobId}`;
      return (await countOf(sql`select 1 from video_jobs where ${of}`)) > 0;
    },
    async hasTwin({ id, provider, facts }, since) {
      // Ids sort by time. A submit is asked for some time after its job has begun.
      const from = requestIdAt(Math.max(0, since - longestSubmitMs)).replace("req_", "video_");
      const prompt = sql.raw(kind === "postgres" ? "facts::json ->> 'prompt'" : "json_extract(facts, '$.prompt')");
      const twins = sql`select 1 from video_jobs where id >= ${from} and id <> ${id} and provider not in ('', ${provider})
        and provider_job_id is null and ${prompt} = ${facts.prompt} limit 1`;
      return (await countOf(twins)) > 0;
    },
    async wake(provider, providerJobId) {
      const of = sql`provider = ${provider} and provider_job_id = ${providerJobId}`;
      const waits = sql`next_at > 0 and is_leased = 0`;
      // Before all that are due by time: with thousands of them it would wait for minutes.
      return (await countOf(sql`update video_jobs set next_at = 0 where ${of} and ${waits} returning id`)) > 0;
    },
    expire: (now, limit) =>
      countOf(sql`update video_jobs set blob_key = null, version = version + 1 where id in (
          select id from video_jobs where blob_key is not null and (expires_at <= ${now} or deleted_at is not null)
          limit ${limit}
        ) returning id`),
    async bringForward(now, beyond) {
      await sql`update video_jobs set next_at = ${now} where next_at > ${beyond}`.execute(db);
    },
    deleteOld: ({ endedBefore, deletedBefore }, limit) =>
      countOf(sql`delete from video_jobs where id in (
          select id from video_jobs where phase = 'over' and ended_at is not null and (ended_at < ${endedBefore}
            or (deleted_at < ${deletedBefore} and provider_cost_microusd is null))
          limit ${limit}
        ) returning id`),
  };
}

const columns = [
  "id",
  "account_id",
  "request_id",
  "created_at",
  "status",
  "phase",
  "next_at",
  "version",
  "provider",
  "provider_job_id",
  "blob_key",
  "expires_at",
  "ended_at",
  "deleted_at",
  "provider_cost_microusd",
  "facts",
  "is_leased",
] as const satisfies readonly (keyof VideoJobRow)[];

function jobToRow(job: VideoJob): VideoJobRow {
  return {
    id: job.id,
    account_id: job.accountId,
    request_id: job.requestId,
    created_at: job.createdAt,
    status: job.status,
    phase: job.phase,
    next_at: job.nextAt,
    version: job.version,
    provider: job.provider,
    provider_job_id: job.providerJobId,
    blob_key: job.blobKey,
    expires_at: job.expiresAt,
    ended_at: job.endedAt,
    deleted_at: job.deletedAt,
    provider_cost_microusd: job.providerCostMicrousd,
    facts: JSON.stringify(job.facts),
    // Who changes a job has done with it.
    is_leased: 0,
  };
}

function rowToJob(row: VideoJobRow): VideoJob {
  return {
    id: row.id,
    accountId: row.account_id,
    requestId: row.request_id,
    createdAt: row.created_at,
    // `jobToRow` wrote these three.
    status: row.status as VideoStatus,
    phase: row.phase as VideoPhase,
    facts: JSON.parse(row.facts) as VideoFacts,
    nextAt: row.next_at,
    version: row.version,
    provider: row.provider,
    providerJobId: row.provider_job_id,
    blobKey: row.blob_key,
    expiresAt: row.expires_at,
    endedAt: row.ended_at,
    deletedAt: row.deleted_at,
    providerCostMicrousd: row.provider_cost_microusd,
  };
}
