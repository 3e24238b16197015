import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newRequestId } from "../../identifiers.ts";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import { allRecords, type RecordFilter } from "../../usage/usage-store.ts";
import { openStorage } from "../open-storage.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-rare-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("rare records of a range of time are found without looking through all of it", async () => {
  const storage = await openStorage(`sqlite:${join(folder, "tollgate.db")}`);
  const keyId = "k123456789";
  const start = Date.parse("2026-10-01T00:00:00Z");
  const count = 40_000;
  const records = Array.from({ length: count }, (_, place) => {
    const createdAt = start + place * 60_000;
    const model = place % 4_000 === 0 ? "rare" : "common";
    return exampleRecord({ id: newRequestId(createdAt), keyId, createdAt, model });
  });
  for (let from = 0; from < count; from += 1_000) {
    await insertRecords(storage.records, records.slice(from, from + 1_000));
  }
  const shortest = async (filter: Partial<RecordFilter>): Promise<number> => {
    const times: number[] = [];
    for (let run = 0; run < 9; run += 1) {
      const before = performance.now();
      const found = await storage.usage.list(
        { ...allRecords, keyId, model: "rare", ...filter },
        { limit: 50, before: null },
      );
      times.push(performance.now() - before);
      expect(found.length).toBe(10);
    }
    return Math.min(...times);
  };
  const whole = { from: start, to: start + count * 60_000 };
  // It took five times as long when all of the range was looked through.
  expect(await shortest(whole)).toBeLessThan(3 * (await shortest({})));
  await storage.close();
}, 30_000);
