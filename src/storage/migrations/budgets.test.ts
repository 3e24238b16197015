import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, PostgresDialect, SqliteDialect } from "kysely";
import { Pool } from "pg";
import { endless } from "../../billing/budgets/budget-period.ts";
import { exampleBudget } from "../../billing/budgets/example-budget.testkit.ts";
import { tester } from "../../changes/actor.testkit.ts";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import { openStorage } from "../open-storage.ts";
import { connectionConfig } from "../postgres/connection.ts";
import { createTestDatabase, execute } from "../postgres/test-database.testkit.ts";
import type { Tables } from "../schema.ts";
import { asKyselyDatabase } from "../sqlite/kysely-database.ts";
import { countServedModels } from "./budgets.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-budgets-"));
const path = join(folder, "tollgate.db");
const postgres = await createTestDatabase();
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await postgres.drop();
});

async function onSqlite(statement: string): Promise<unknown> {
  const database = new Database(path);
  database.run(statement);
  database.close();
  return null;
}

async function migrateSqlite(): Promise<void> {
  const database = new Database(path);
  await countServedModels(
    new Kysely({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) }),
    "sqlite",
  );
  database.close();
}

async function migratePostgres(): Promise<void> {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool(connectionConfig(postgres.url)) }) });
  await countServedModels(db, "postgres");
  await db.destroy();
}

const storages: readonly {
  readonly url: string;
  readonly run: (statement: string) => Promise<unknown>;
  readonly migrate: () => Promise<void>;
}[] = [
  { url: `sqlite:${path}`, run: onSqlite, migrate: migrateSqlite },
  { url: postgres.url, run: (statement: string) => execute(postgres.url, statement), migrate: migratePostgres },
];

test.each(storages)(
  "what was spent by other names is counted for budgets of models, and what they hold stays: $url",
  async (given) => {
    const { url, run, migrate } = given;
    const storage = await openStorage(url);
    const budget = exampleBudget({ model: "gpt-5-mini" });
    const budgets = [budget, exampleBudget()];
    for (const each of budgets) await storage.budgets.set(each, [{ startsAt: 0, endsAt: endless }], tester);
    await insertRecords(storage.records, [exampleRecord(), exampleRecord({ model: "nickname" })]);
    const counter = { budgetId: budget.id, startsAt: 0, subject: "" };
    const hold = {
      ...counter,
      requestId: "req_x",
      amountMicrousd: 7,
      limitMicrousd: 1_000_000,
      process: "p",
      expiresAt: 9e15,
    };
    await storage.budgets.hold(hold);
    // As it was counted by the name that was asked for.
    await run(`update budget_counters set spent_microusd = 751 where budget_id = '${budget.id}'`);
    await migrate();
    await insertRecords(storage.records, [exampleRecord({ model: "nickname" })]);
    const spent = await Promise.all(budgets.map(({ id }) => storage.budgets.counter({ ...counter, budgetId: id })));
    expect(spent).toMatchObject([
      { spentMicrousd: 3 * 751, heldMicrousd: 7 },
      { spentMicrousd: 3 * 751, heldMicrousd: 0 },
    ]);
    await storage.close();
  },
);
