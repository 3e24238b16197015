import { type Kysely, sql } from "kysely";
import { factsIn } from "../../records/compact-record.ts";
import { RollupBatch } from "../../usage/rollup.ts";
import { rowToCompact } from "../record-row.ts";
import type { RequestRow, Tables } from "../schema.ts";
import { addOnConflict, rollupColumns, rollupValues, tableOf } from "../usage/rollup-columns.ts";

/** The dimensions that there were when the table was made. Later ones come with columns of their own. */
const sumColumns =
  "input cache_read cache_write cache_write_5m cache_write_1h cache_miss input_audio input_image output output_audio output_image web_search image second character video_second request"
    .split(" ")
    .map((name) => `sum_${name} bigint not null`);

/** The sums of records by time, and the indexes by which records are listed. Adds up the records that are there. */
export async function createRollups(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Names are compared byte by byte, which is quicker.
  const name = sql.raw(kind === "postgres" ? 'text collate "C" not null' : "text not null");
  const sums = sql.raw(sumColumns.join(", "));
  // The counts of a row change often: room in its page saves Postgres from writing its index each time.
  const end = sql.raw(kind === "postgres" ? "with (fillfactor = 60)" : "without rowid");
  const names = sql`account_id ${name}, model ${name}, endpoint ${name}, status ${name}, provider ${name},
    requests bigint not null, amount_microusd bigint not null, ${sums}`;
  await sql`create table usage_rollups (
      span integer not null, key_id ${name}, starts_at bigint not null, ${names},
      primary key (span, key_id, starts_at, account_id, model, endpoint, status, provider)
    ) ${end}`.execute(db);
  await sql`create table usage_facets (
      span integer not null, key_id ${name}, facet ${name}, starts_at bigint not null, value ${name}, ${names},
      primary key (span, key_id, facet, starts_at, value, account_id, model, endpoint, status, provider)
    ) ${end}`.execute(db);
  // With the names that few records may have, so that others are passed over without reading them. Postgres bounds what an
  // index holds of a row.
  const told = sql.raw(kind === "sqlite" ? ", model, end_user, session" : ", model");
  await sql`create index requests_by_key on requests (key_id, id${told})`.execute(db);
  // Few requests fail, and they are looked for often.
  await sql`create index requests_by_key_unsuccessful on requests (key_id, id) where status <> 'succeeded'`.execute(db);
  await sql`create index requests_pending on requests (key_id, id) where status = 'pending'`.execute(db);
  await sql`create index requests_pending_of_all on requests (id) where status = 'pending'`.execute(db);
  await sql`create index requests_unsuccessful on requests (id) where status <> 'succeeded'`.execute(db);
  await addUpRecords(db);
}

const recordsAtOnce = 2_000;
/** Rows gathered in memory before they are written. */
const maxGathered = 20_000;

async function addUpRecords(db: Kysely<Tables>): Promise<void> {
  const batch = new RollupBatch();
  let last = "";
  for (;;) {
    const { rows } = await sql<RequestRow>`select * from requests where id > ${last} order by id
      limit ${sql.lit(recordsAtOnce)}`.execute(db);
    for (const row of rows) {
      batch.add({ ...rowToCompact(row), ...factsIn(row.body), leaseId: undefined, idempotent: undefined });
      last = row.id;
    }
    const isLast = rows.length < recordsAtOnce;
    if (isLast || batch.size > maxGathered) await write(db, batch);
    if (isLast) return;
  }
}

async function write(db: Kysely<Tables>, batch: RollupBatch): Promise<void> {
  for (const rollup of batch.rollups()) {
    const table = tableOf(rollup);
    await sql`insert into ${sql.table(table.name)} (${sql.raw(rollupColumns(table).join(", "))})
      values (${sql.join(rollupValues(rollup))}) ${sql.raw(addOnConflict(table))}`.execute(db);
  }
  batch.clear();
}
