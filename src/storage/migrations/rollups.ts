import { type Kysely, sql } from "kysely";
import { factsIn } from "../../records/compact-record.ts";
import { RollupBatch } from "../../usage/rollup.ts";
import { rowToCompact } from "../record-row.ts";
import type { RequestRow, Tables } from "../schema.ts";
import { identityValues, quantityColumns, rollupTables, usedPlaces } from "../usage/rollup-columns.ts";

/** The dimensions that there were when the table was made. Later ones come with columns of their own. */
const sumColumns =
  "input cache_read cache_write cache_write_5m cache_write_1h cache_miss input_audio input_image output output_audio output_image web_search image second character video_second request"
    .split(" ")
    .map((name) => `sum_${name} bigint not null default 0`);

/** The sums of records by time, and the indexes by which records are listed. Adds up the records that are there. */
export async function createRollups(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Names are compared byte by byte, which is quicker.
  const name = sql.raw(kind === "postgres" ? 'text collate "C" not null' : "text not null");
  const sums = sql.raw(`requests bigint not null, errors bigint not null, amount_microusd bigint not null,
    ${sumColumns.join(", ")}`);
  // The counts of a row change often: room in its page saves Postgres from writing its index each time.
  const end = sql.raw(kind === "postgres" ? "with (fillfactor = 60)" : "without rowid");
  // The model comes first: others with the same time are passed over if it is looked for.
  const names = sql`model ${name}, account_id ${name}, endpoint ${name}, status ${name}, provider ${name}`;
  const nameList = sql`model, account_id, endpoint, status, provider`;
  await sql`create table usage_rollups (
      span bigint not null, key_id ${name}, starts_at bigint not null, ${names}, ${sums},
      primary key (span, key_id, starts_at, ${nameList})
    ) ${end}`.execute(db);
  await sql`create table usage_times (
      span bigint not null, key_id ${name}, starts_at bigint not null, ${sums}, primary key (span, key_id, starts_at)
    ) ${end}`.execute(db);
  await sql`create table usage_facet_rollups (
      span bigint not null, key_id ${name}, facet ${name}, starts_at bigint not null, value ${name}, ${names}, ${sums},
      primary key (span, key_id, facet, starts_at, value, ${nameList})
    ) ${end}`.execute(db);
  await sql`create table usage_facets (
      span bigint not null, key_id ${name}, facet ${name}, starts_at bigint not null, value ${name}, ${sums},
      primary key (span, key_id, facet, starts_at, value)
    ) ${end}`.execute(db);
  // With the names that few records may have, so that others are passed over without reading them. At 256 characters each,
  // they fit into what Postgres can index of a row.
  await sql`create index requests_by_key on requests (key_id, id, model, end_user, session)`.execute(db);
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
  const rollups = batch.rollups();
  const places = usedPlaces(rollups);
  // Columns that came later are none of this step's.
  const sums = ["requests", "errors", "amount_microusd", ...places.map((place) => quantityColumns[place] ?? "")];
  for (const rollup of rollups) {
    const { name, identity } = rollupTables[rollup.kind];
    const { requests, errors, amountMicrousd, quantities } = rollup;
    const values = [...identityValues(rollup), requests, errors, amountMicrousd];
    values.push(...places.map((place) => quantities[place] ?? 0));
    const added = sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`);
    await sql`insert into ${sql.table(name)} (${sql.raw([...identity, ...sums].join(", "))})
      values (${sql.join(values)})
      on conflict (${sql.raw(identity.join(", "))}) do update set ${sql.raw(added.join(", "))}`.execute(db);
  }
  batch.clear();
}
