import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Jobs that make films. */
export async function createVideoJobs(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Ids sort by time byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("video_jobs")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("request_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("phase", "text", (column) => column.notNull())
    .addColumn("next_at", "bigint")
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("provider_job_id", "text")
    .addColumn("blob_key", "text")
    .addColumn("expires_at", "bigint")
    .addColumn("ended_at", "bigint")
    .addColumn("deleted_at", "bigint")
    .addColumn("provider_cost_microusd", "bigint")
    .addColumn("facts", "text", (column) => column.notNull())
    .execute();
  await sql`create index video_jobs_by_account on video_jobs (account_id, id)`.execute(db);
  await sql`create index video_jobs_due on video_jobs (provider, next_at) where next_at is not null`.execute(db);
  await sql`create index video_jobs_by_blob on video_jobs (blob_key) where blob_key is not null`.execute(db);
  await sql`create index video_jobs_by_end on video_jobs (ended_at) where ended_at is not null`.execute(db);
  // Two jobs are never one at the provider.
  await sql`create unique index video_jobs_at_provider on video_jobs (provider, provider_job_id)
    where provider_job_id is not null`.execute(db);
}

/** Tells a job that a process is at work on from one that waits: only the second one may be woken. */
export async function addVideoJobLeases(db: Kysely<Tables>): Promise<void> {
  await sql`alter table video_jobs add column is_leased integer not null default 0`.execute(db);
}
