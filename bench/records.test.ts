import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settledCount } from "./records.ts";

/** Calls `work` with a storage that has the table of records. */
async function withStorage(work: (file: string, add: (records: number) => void) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-test-"));
  const file = join(folder, "tollgate.db");
  const database = new Database(file);
  try {
    database.run("PRAGMA journal_mode = WAL");
    database.run("CREATE TABLE requests (id INTEGER PRIMARY KEY)");
    await work(file, (records) => {
      for (let count = 0; count < records; count++) database.run("INSERT INTO requests DEFAULT VALUES");
    });
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test("late records are waited for", async () => {
  await withStorage(async (file, add) => {
    add(3);
    // Later than the number must stand still.
    const late = Bun.sleep(1300).then(() => add(4));
    expect(await settledCount(file, 7)).toBe(7);
    await late;
  });
});

test("records above the expected number are counted", async () => {
  await withStorage(async (file, add) => {
    add(5);
    const late = Bun.sleep(200).then(() => add(1));
    expect(await settledCount(file, 5)).toBe(6);
    await late;
  });
});
