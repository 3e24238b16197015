import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, PostgresDialect, SqliteDialect } from "kysely";
import { Pool } from "pg";
import { newRequestId } from "../../identifiers.ts";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import { openStorage } from "../open-storage.ts";
import { connectionConfig } from "../postgres/connection.ts";
import type { Tables } from "../schema.ts";
import { asKyselyDatabase } from "../sqlite/kysely-database.ts";
import { createRollups } from "./rollups.ts";
import { createTestDatabase, execute } from "../postgres/test-database.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-rollups-"));
const sqliteUrl = `sqlite:${join(folder, "tollgate.db")}`;
const postgres = await createTestDatabase();
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await postgres.drop();
});

async function onSqlite(statement: string): Promise<Record<string, unknown>[]> {
  const database = new Database(join(folder, "tollgate.db"));
  try {
    return database.query<Record<string, unknown>, []>(statement).all();
  } finally {
    database.close();
  }
}

async function migrateSqlite(): Promise<void> {
  const database = new Database(join(folder, "tollgate.db"));
  await createRollups(new Kysely({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) }), "sqlite");
  database.close();
}

async function migratePostgres(): Promise<void> {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool(connectionConfig(postgres.url)) }) });
  await createRollups(db, "postgres");
  await db.destroy();
}

const attributionOf = (index: number) => ({
  tags: index % 5 === 0 ? `{"env":"prod","team":"${index % 2}"}` : null,
  endUser: index % 13 === 0 ? `user ${index % 4}` : null,
  session: null,
});

/** Columns that a later migration has added. */
const later = new Set("cache_saved_microusd max_amount_microusd max_latency_ms latencies first_bytes".split(" "));

test.each([
  { url: sqliteUrl, run: onSqlite, migrate: migrateSqlite },
  { url: postgres.url, run: (statement: string) => execute(postgres.url, statement), migrate: migratePostgres },
])("records that are there before rollups are added up: $url", async ({ url, run, migrate }) => {
  const start = Date.parse("2026-11-20T00:00:00Z");
  const before = await openStorage(url);
  const records = Array.from({ length: 4_100 }, (_, index) => {
    const createdAt = start + index * 60_000;
    const status = index % 7 === 0 ? "failed" : index % 11 === 0 ? "pending" : "succeeded";
    return exampleRecord({
      id: newRequestId(createdAt),
      createdAt,
      status,
      model: `model-${index % 3}`,
      attribution: attributionOf(index),
    });
  });
  for (let from = 0; from < records.length; from += 500) {
    await insertRecords(before.records, records.slice(from, from + 500));
  }
  await before.close();
  const order = "span, key_id, starts_at, account_id, model, status";
  const readAll = async () => {
    const rows = [
      ...(await run(`select * from usage_rollups order by ${order}`)),
      ...(await run("select * from usage_times order by span, key_id, starts_at")),
      ...(await run(`select * from usage_facet_rollups order by facet, value, ${order}`)),
      ...(await run("select * from usage_facets order by facet, value, span, key_id, starts_at")),
    ];
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !later.has(column))));
  };
  const kept = await readAll();
  expect(kept.length).toBeGreaterThan(100);

  // The storage as it was before.
  await run("drop table usage_rollups");
  await run("drop table usage_times");
  await run("drop table usage_facet_rollups");
  await run("drop table usage_facets");
  await run("drop index requests_by_key");
  await run("drop index requests_by_key_unsuccessful");
  await run("drop index requests_unsuccessful");
  await run("drop index requests_pending");
  await run("drop index requests_pending_of_all");
  await migrate();
  expect(await readAll()).toEqual(kept);
});
