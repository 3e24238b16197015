import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startPostgres } from "../scripts/postgres.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { copyToPostgres } from "./usage/copy-to-postgres.ts";
import { fillSqlite } from "./usage/fill.ts";
import { measureAll } from "./usage/measure.ts";

/**
 * Makes a storage with many records over 40 days, and measures lookups, pages of the list, summaries of a month, and the
 * audit.
 *
 *   node_modules/bun/bin/bun.exe bench/usage.ts [--records 10000000] [--keys 10] [--storage sqlite|postgres|both]
 *     [--runs 20] [--only PATTERN] [--folder DIR] [--no-audit]
 *
 * The SQLite file stays in `--folder` and is used again by the next run. With `DATABASE_URL` it uses that Postgres, and
 * what is in it, else one of its own.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "10000000" },
    keys: { type: "string", default: "10" },
    storage: { type: "string", default: "both" },
    /** Times that each is measured, after a first time. */
    runs: { type: "string", default: "20" },
    /** A pattern that the names of what is measured match. */
    only: { type: "string", default: "" },
    folder: { type: "string" },
    "no-audit": { type: "boolean", default: false },
  },
});

async function measure(name: string, url: string): Promise<void> {
  console.log(`${name}: ${values.records} records of ${values.keys} keys over 40 days`);
  const storage = await openStorage(url);
  await measureAll(storage, Number(values.runs), new RegExp(values.only));
  if (!values["no-audit"]) {
    const before = performance.now();
    const cpu = process.cpuUsage();
    let findings = 0;
    const { records } = await storage.auditor.audit(() => (findings += 1));
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    console.log(
      `  audit of ${records} records: ${seconds(performance.now() - before)}, processor ${seconds((user + system) / 1000)}, ${findings} findings`,
    );
  }
  await storage.close();
}

async function isFilled(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string | null }>("select to_regclass('requests')::text as name");
  const isThere = rows[0]?.name !== null && (await client.query("select 1 from requests limit 1")).rows.length > 0;
  await client.end();
  return isThere;
}

const folder = values.folder ?? mkdtempSync(join(tmpdir(), "tollgate-usage-"));
mkdirSync(folder, { recursive: true });
const path = join(folder, `records-${values.records}-${values.keys}.db`);
try {
  if (!existsSync(path)) await fillSqlite(path, Number(values.records), Number(values.keys));
  if (values.storage !== "postgres") await measure("SQLite", `sqlite:${path}`);
  if (values.storage !== "sqlite") {
    const postgres = await startPostgres();
    if (!(await isFilled(postgres.url))) await copyToPostgres(path, postgres.url);
    await measure("Postgres", postgres.url);
    await postgres.stop();
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
