import { Database } from "bun:sqlite";
import { exampleKey } from "../../src/access/key.testkit.ts";
import { insertRecords } from "../../src/records/example-record.testkit.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createSqliteRecordStore } from "../../src/storage/sqlite/record-store.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { accountIds, accountOf, keyOf, makeRecord, prepaidAccountId } from "./make-record.ts";

const atOnce = 10_000;
const by = { kind: "gateway" } as const;
const log = { info() {}, warn() {} };

/**
 * Makes an SQLite file with so many records, by the writer of the gateway itself. Nothing waits for
 * the disk.
 */
export async function fillSqlite(path: string, count: number, keys: number): Promise<void> {
  const storage = await openStorage(`sqlite:${path}`);
  await makeOwners(storage, keys);
  await storage.close();
  const database = new Database(path);
  // Nothing is kept in case of a crash: a file that was not finished is made again.
  database.run("PRAGMA journal_mode = OFF");
  database.run("PRAGMA synchronous = OFF");
  database.run("PRAGMA cache_size = -1000000");
  const records = createSqliteRecordStore(database, { patienceMs: 0, checkpointer: null, log });
  const before = performance.now();
  let shown = 0;
  for (let from = 0; from < count; from += atOnce) {
    const size = Math.min(atOnce, count - from);
    await insertRecords(
      records,
      Array.from({ length: size }, (_, index) => makeRecord(from + index, count, keys)),
    );
    if (Math.floor((from / count) * 10) > shown) {
      shown += 1;
      console.log(`  ${shown * 10} % after ${((performance.now() - before) / 1000).toFixed(0)} s`);
    }
  }
  database.close();
}

async function makeOwners(storage: Storage, keys: number): Promise<void> {
  for (const id of accountIds) {
    const mode = id === prepaidAccountId ? "prepaid" : "unlimited";
    await storage.accounts.create({ id, name: id, mode, markupBasisPoints: 0, createdAt: 0 }, by);
  }
  const entry = { id: "ent_1", accountId: prepaidAccountId, createdAt: 0, idempotencyKey: null, note: null, by };
  await storage.accounts.post({ ...entry, kind: "credit", amountMicrousd: 1_000_000_000_000_000 });
  for (let key = 0; key < keys; key += 1) {
    await storage.keys.insert(exampleKey({ id: keyOf(key), accountId: accountOf(key) }), by);
  }
}
