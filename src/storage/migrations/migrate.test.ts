import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failureOf } from "../../records/failure-of.testkit.ts";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import { openStorage } from "../open-storage.ts";
import { createTestDatabase, execute } from "../postgres/test-database.testkit.ts";
import { Database } from "bun:sqlite";

const folder = mkdtempSync(join(tmpdir(), "tollgate-migrate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let postgres: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  postgres = await createTestDatabase();
}, 120_000);
afterAll(() => postgres.drop());

let lastFile = 0;
function newSqliteFile(): string {
  lastFile += 1;
  return join(folder, `${lastFile}.db`);
}

/** A real process that opens the storage at `url` and says so on its output. */
function openInProcess(url: string) {
  const code = `
    const { openStorage } = await import(${JSON.stringify(join(import.meta.dir, "../open-storage.ts"))});
    process.stdout.write("opening\\n");
    const storage = await openStorage(${JSON.stringify(url)});
    process.stdout.write("open\\n");
    await storage.close();`;
  return Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "pipe" });
}

async function expectUsable(url: string): Promise<void> {
  const storage = await openStorage(url);
  const record = exampleRecord();
  await insertRecords(storage.records, [record]);
  expect(await storage.records.find(record.keyId, record.id)).toEqual(record);
  expect(await storage.keys.find("unknown000")).toBeNull();
  await storage.close();
}

describe("migrations", () => {
  test("several processes that start at once on a new storage all open it", async () => {
    for (const url of [`sqlite:${newSqliteFile()}`, postgres.url]) {
      const processes = Array.from({ length: 5 }, () => openInProcess(url));
      const errors = await Promise.all(processes.map((child) => new Response(child.stderr).text()));
      const codes = await Promise.all(processes.map((child) => child.exited));
      expect({ codes, errors: errors.join("") }).toEqual({ codes: [0, 0, 0, 0, 0], errors: "" });
      await expectUsable(url);
    }
  }, 30_000);

  test("a process killed at any moment of its start leaves a storage that opens", async () => {
    for (let round = 0; round < 12; round += 1) {
      const url = `sqlite:${newSqliteFile()}`;
      const child = openInProcess(url);
      await child.stdout.getReader().read();
      await Bun.sleep(round * 0.7);
      child.kill("SIGKILL");
      await child.exited;
      await expectUsable(url);
    }
  }, 30_000);

  test("a process killed in the middle of a migration leaves nothing of it", async () => {
    const code = `
      const { migrate } = await import(${JSON.stringify(join(import.meta.dir, "migrate.ts"))});
      const { migrations } = await import(${JSON.stringify(join(import.meta.dir, "migrations.ts"))});
      const { Kysely, SqliteDialect, PostgresDialect } = await import("kysely");
      const { Database } = await import("bun:sqlite");
      const { asKyselyDatabase } = await import(${JSON.stringify(join(import.meta.dir, "../sqlite/kysely-database.ts"))});
      const { Pool } = await import("pg");
      const [kind, where] = process.argv.slice(-2);
      const dialect = kind === "sqlite"
        ? new SqliteDialect({ database: asKyselyDatabase(new Database(where)) })
        : new PostgresDialect({ pool: new Pool({ connectionString: where, max: 1 }) });
      const endless = { name: "endless", up: () => {
        process.stdout.write("halfway\\n");
        return new Promise(() => setInterval(() => {}, 1000));
      } };
      await migrate(new Kysely({ dialect }), kind, [...migrations, endless], { now: () => 1 });`;
    const fresh = await createTestDatabase();
    const file = newSqliteFile();
    for (const [kind, where, url] of [
      ["sqlite", file, `sqlite:${file}`],
      ["postgres", fresh.url, fresh.url],
    ] as const) {
      const child = Bun.spawn([process.execPath, "-e", code, kind, where], { stdout: "pipe", cwd: import.meta.dir });
      const { value } = await child.stdout.getReader().read();
      expect(new TextDecoder().decode(value)).toBe("halfway\n");
      child.kill("SIGKILL");
      await child.exited;
      await expectUsable(url);
    }
    await fresh.drop();
  }, 30_000);

  test("a storage made by a newer program is refused", async () => {
    const file = newSqliteFile();
    await (await openStorage(`sqlite:${file}`)).close();
    const database = new Database(file);
    database.run("insert into migrations (version, applied_at) values (1000, 1)");
    database.close();
    const fresh = await createTestDatabase();
    await (await openStorage(fresh.url)).close();
    await execute(fresh.url, "insert into migrations (version, applied_at) values (1000, 1)");
    for (const url of [`sqlite:${file}`, fresh.url]) {
      expect(await failureOf(openStorage(url))).toMatchObject({
        name: "StorageError",
        code: "newer_schema",
        message: expect.stringContaining("newer version of Tollgate"),
      });
    }
    await fresh.drop();
  });
});
