import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { Kysely, SqliteDialect } from "kysely";
import type { Tables } from "../schema.ts";
import { asKyselyDatabase } from "../sqlite/kysely-database.ts";
import { addUsageFigures } from "./usage-figures.ts";

test("sums that are there have an upper bound of their greatest amount", async () => {
  const database = new Database(":memory:");
  database.run("create table requests (id text)");
  for (const table of ["usage_rollups", "usage_times", "usage_facet_rollups", "usage_facets"]) {
    database.run(`create table ${table} (amount_microusd bigint not null)`);
    database.run(`insert into ${table} values (700), (0)`);
  }
  await addUsageFigures(
    new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) }),
    "sqlite",
  );
  const maxima = database.query("select max_amount_microusd as max from usage_rollups").all();
  expect(maxima).toEqual([{ max: 700 }, { max: 0 }]);
  database.close();
});
