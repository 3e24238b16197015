import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { Kysely, sql, SqliteDialect } from "kysely";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { createPriceListStore } from "../queries/price-list-queries.ts";
import type { Tables } from "../schema.ts";
import { asKyselyDatabase } from "../sqlite/kysely-database.ts";

const clock = { now: () => 1_800_000_000_000 };

test("price lists of before become versions of configured prices, with their numbers and times", async () => {
  const database = new Database(":memory:");
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) });
  const place = migrations.findIndex(({ name }) => name === "price changes");
  await migrate(db, "sqlite", migrations.slice(0, place), clock);
  const unit = { name: "1M_tokens", size: 1_000_000 };
  const body = JSON.stringify({ mini: { input: { dimension: "input", unit, unitMicrousd: 250_000 } } });
  await sql`insert into price_lists (version, body, created_at) values (1, ${"{}"}, 1000), (2, ${body}, 2000)`.execute(
    db,
  );

  await migrate(db, "sqlite", migrations, clock);
  const store = createPriceListStore(db, clock, async () => false);
  const changes = await store.changes();
  expect(changes).toMatchObject([
    { sequence: 1, version: 1, author: "configuration", createdAt: 1_000, imported: null, bundled: null },
    { sequence: 2, version: 2, createdAt: 2_000 },
  ]);
  expect(await store.findTable(changes[1]?.configured ?? "")).toEqual({
    createdAt: 2_000,
    table: { source: "configuration", date: null, models: { mini: { input: 250_000 } }, vendors: [] },
  });
  await db.destroy();
});
