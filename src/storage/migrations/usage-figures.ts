import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

const rollupTables = ["usage_rollups", "usage_times", "usage_facet_rollups", "usage_facets"];
/** Those with histograms: of a value of a facet there are too few requests for percentiles. */
const withDurations = ["usage_rollups", "usage_times"];

/**
 * What lists filter by and summaries tell: providers and latencies of requests, what caches saved, the greatest amount and
 * latency of each sum, and histograms of durations. Records that are there count for none of it but the greatest amount, of
 * which only a bound is known: by less, lists would pass over records that were charged more.
 */
export async function addUsageFigures(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  const text = sql.raw(kind === "postgres" ? `text collate "C" not null default ''` : "text not null default ''");
  await sql`alter table requests add column provider ${text}`.execute(db);
  await sql`alter table requests add column latency_ms bigint not null default 0`.execute(db);
  for (const table of rollupTables) {
    for (const column of ["cache_saved_microusd", "max_amount_microusd", "max_latency_ms"]) {
      await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} bigint not null default 0`.execute(db);
    }
    await sql`update ${sql.table(table)} set max_amount_microusd = amount_microusd where amount_microusd > 0`.execute(
      db,
    );
  }
  for (const table of withDurations) {
    for (const column of ["latencies", "first_bytes"]) {
      await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${text}`.execute(db);
    }
  }
}
