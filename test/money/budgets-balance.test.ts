import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { createTestDatabase, execute } from "../../src/storage/postgres/test-database.testkit.ts";
import { anyBudgetEvent } from "./budget-events.testkit.ts";
import { type BudgetBook, playBudgets } from "./budget-world.testkit.ts";

/** Budgets under random requests, through two gateways that share a storage: spent, held and written as they must be. */

const sequences = fc.array(anyBudgetEvent, { minLength: 3, maxLength: 40 });

async function check(book: BudgetBook, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(sequences, fc.nat(60 * 86_400), (events, second) => playBudgets(book, events, second * 1_000)),
    { numRuns },
  );
}

test("whatever the budgets and the order of events, on SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-budgets-"));
  const path = join(folder, "tollgate.db");
  try {
    const rows = async (statement: string) => {
      const connection = new Database(path, { readonly: true });
      const found = connection.query<object, []>(statement).all();
      connection.close();
      return found;
    };
    await check({ url: `sqlite:${path}`, rows }, 25);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);

describe("on Postgres", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    database = await createTestDatabase();
  }, 120_000);
  afterAll(() => database.drop());

  test("the same", () => check({ url: database.url, rows: (text) => execute(database.url, text) }, 8), 240_000);
});

test("the sequences reach what is to be shown", () => {
  const kinds = new Set(
    fc.sample(sequences, { numRuns: 50, seed: 1 }).flatMap((events) => events.map(({ kind }) => kind)),
  );
  expect([...kinds].toSorted()).toEqual(["crash", "end of a job", "remove", "replay", "requests", "set", "time"]);
});
