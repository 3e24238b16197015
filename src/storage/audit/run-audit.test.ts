import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Auditor } from "../../billing/audit.ts";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import { failureOf } from "../../records/failure-of.testkit.ts";
import { openStorage } from "../open-storage.ts";
import { createPostgresAuditor } from "../postgres/audit.ts";
import { createTestDatabase, execute } from "../postgres/test-database.testkit.ts";
import { createSqliteAuditor } from "../sqlite/audit.ts";
import type { Storage } from "../storage.ts";

/** Books that are larger than one part, so that threads share them. */
const recordsPerPart = 3;

describe.each(["SQLite", "Postgres"] as const)("an audit by several threads on %s", (kind) => {
  let auditor: Auditor;
  let storage: Storage;
  let run: (statement: string) => Promise<unknown>;
  let drop: (() => Promise<void>) | undefined;
  const records = Array.from({ length: 10 }, () => exampleRecord());
  const findings = async () => {
    const found: string[] = [];
    const counts = await auditor.audit(({ kind, subject }) => void found.push(`${kind}: ${subject}`));
    return { found, counts };
  };

  beforeAll(async () => {
    if (kind === "Postgres") {
      const database = await createTestDatabase();
      const { url } = database;
      drop = () => database.drop();
      auditor = createPostgresAuditor(url, recordsPerPart);
      run = (statement) => execute(url, statement);
      storage = await openStorage(url);
    } else {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-audit-"));
      drop = async () => rmSync(folder, { recursive: true, force: true });
      const path = join(folder, "book.db");
      auditor = createSqliteAuditor(path, recordsPerPart);
      run = async (statement) => {
        const writer = new Database(path);
        writer.run(statement);
        writer.close();
      };
      storage = await openStorage(`sqlite:${path}`);
    }
    await insertRecords(storage.records, records);
  }, 60_000);

  afterAll(async () => {
    await storage.close();
    await drop?.();
  });

  test("looks at each record once", async () => {
    const { found, counts } = await findings();
    expect({ found, counts }).toEqual({ found: [], counts: { accounts: 1, entries: 10, records: 10 } });
  }, 30_000);

  test("in a process of its own finds the same, and tells how far it is", async () => {
    const [record] = records;
    const change = (by: string) =>
      run(`update requests set amount_microusd = amount_microusd ${by} where id = '${record?.id}'`);
    await change("+ 1");
    const found: string[] = [];
    const progress: number[] = [];
    const audit = auditor.auditInBackground({
      onFindings: (findings) => found.push(...findings.map(({ kind, subject }) => `${kind}: ${subject}`)),
      onProgress: (done, parts) => progress.push(done / parts),
    });
    expect(await audit.counts).toEqual({ accounts: 1, entries: 10, records: 10 });
    expect(found.toSorted()).toEqual((await findings()).found.toSorted());
    expect(found).toContain(`charge: ${record?.id}`);
    expect(progress.at(-1)).toBe(1);
    await change("- 1");
  });

  test("in a process of its own can be ended", async () => {
    const audit = auditor.auditInBackground({ onFindings: () => {}, onProgress: () => {} });
    audit.stop();
    expect(String(await failureOf(audit.counts))).toContain("has ended");
  });

  test("sees one moment while others write", async () => {
    const over = new AbortController();
    const write = async () => {
      while (!over.signal.aborted) {
        try {
          await insertRecords(storage.records, [exampleRecord(), exampleRecord()]);
        } catch {
          // On SQLite a write in the audit's own thread may wait for it in vain, and fails whole.
        }
        await nextTurn();
      }
    };
    const writing = write();
    const { found, counts } = await findings();
    over.abort();
    await writing;
    expect(found).toEqual([]);
    expect(counts.entries).toBe(counts.records);
  }, 30_000);

  test.each([
    ["the first record", 0],
    ["one amidst", 5],
    ["the last of them", 9],
  ])(
    "finds the wrong amount of %s",
    async (_what, place) => {
      const id = records[place]?.id ?? "";
      await run(`update requests set amount_microusd = amount_microusd + 1 where id = '${id}'`);
      const { found } = await findings();
      await run(`update requests set amount_microusd = amount_microusd - 1 where id = '${id}'`);
      expect(found).toContain(`charge: ${id}`);
      expect(found).toContain(`line_items: ${id}`);
      expect(found.some((finding) => finding.startsWith("rollup: "))).toBe(true);
    },
    30_000,
  );

  test.each(["usage_rollups", "usage_times"])(
    "finds a wrong sum in %s",
    async (table) => {
      await run(`update ${table} set requests = requests + 1 where span = 900000`);
      const { found } = await findings();
      await run(`update ${table} set requests = requests - 1 where span = 900000`);
      expect(found.some((finding) => finding.startsWith("rollup: "))).toBe(true);
    },
    30_000,
  );
});
