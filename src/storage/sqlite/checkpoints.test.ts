import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleRecord } from "../../records/record.example.ts";
import { openStorage } from "../open-storage.ts";
import type { StorageLog } from "../storage.ts";
import { startCheckpoints } from "./checkpoints.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-checkpoints-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const silent: StorageLog = { warn() {}, info() {} };

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("It did not happen in time.");
    await Bun.sleep(5);
  }
}

function openFile(name: string): { readonly database: Database; readonly path: string } {
  const path = join(folder, name);
  const database = new Database(path);
  database.run("PRAGMA journal_mode = WAL");
  database.run("create table texts (text text)");
  return { database, path };
}

function write(database: Database): void {
  database.run("insert into texts values (?)", ["x".repeat(3_000)]);
}

test("what a gateway commits is written back by the thread, and all of it is there afterwards", async () => {
  const path = join(folder, "gateway.db");
  const storage = await openStorage(`sqlite:${path}`, { isLongLived: true });
  const before = statSync(path).size;
  const records = Array.from({ length: 2_000 }, () => exampleRecord());
  for (let at = 0; at < records.length; at += 100) await storage.records.insertAll(records.slice(at, at + 100));
  await until(() => statSync(path).size > before + 200_000);
  await storage.close();
  const again = await openStorage(`sqlite:${path}`);
  for (const record of records) expect(await again.records.find(record.keyId, record.id)).toEqual(record);
  await again.close();
});

test("the log does not grow for ever under writers that never pause", async () => {
  const { database, path } = openFile("busy.db");
  const longPages = 100;
  const checkpoints = startCheckpoints({ database, path, log: silent, longPages });
  let written = 0;
  await until(() => {
    for (let turn = 0; turn < 20; turn++) write(database);
    written += 20;
    checkpoints.committed(1_000);
    return written >= 1_500;
  });
  // A log that never starts over would hold each page that was written: some 4 KiB for each of them.
  expect(statSync(`${path}-wal`).size).toBeLessThan(written * 2_000);
  await checkpoints.stop();
  expect(database.query("select count(*) as count from texts").get()).toEqual({ count: written });
  database.close();
});

test("without its thread the connection makes the checkpoints itself, and says so once", async () => {
  const { database } = openFile("alone.db");
  const warnings: string[] = [];
  const log = { ...silent, warn: (_: object, message: string) => void warnings.push(message) };
  const checkpoints = startCheckpoints({ database, path: join(folder, "none", "missing.db"), log });
  expect(database.query("PRAGMA wal_autocheckpoint").get()).toEqual({ wal_autocheckpoint: 0 });
  checkpoints.committed(1_000);
  await until(() => warnings.length > 0);
  expect(warnings).toEqual(["checkpoints cannot be made in the background; commits make them"]);
  expect(database.query("PRAGMA wal_autocheckpoint").get()).toEqual({ wal_autocheckpoint: 1_000 });
  checkpoints.committed(1_000);
  await checkpoints.stop();
  database.close();
});
