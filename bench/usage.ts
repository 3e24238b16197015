import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startPostgres } from "../scripts/postgres.ts";
import { newRequestId } from "../src/identifiers.ts";
import { exampleRecord, insertRecords } from "../src/records/example-record.testkit.ts";
import type { UsageRecord } from "../src/records/record.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage } from "../src/storage/storage.ts";
import type { RecordFilter } from "../src/usage/usage-store.ts";
import { summarize } from "../src/usage/summarize.ts";
import type { SummaryKey } from "../src/usage/summary-query.ts";
import { percentile } from "./results/statistics.ts";

/**
 * Makes a storage with many records over 30 days, and measures a lookup, pages of the list and summaries of the month.
 *
 *   node_modules/bun/bin/bun.exe bench/usage.ts [--records 10000000] [--keys 10] [--storage sqlite|postgres|both]
 *
 * With `DATABASE_URL` it uses that Postgres, else one of its own.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "10000000" },
    keys: { type: "string", default: "10" },
    storage: { type: "string", default: "both" },
    /** Times that each is measured. */
    runs: { type: "string", default: "20" },
  },
});
const count = Number(values.records);
const keys = Number(values.keys);
const runs = Number(values.runs);

const monthMs = 30 * 24 * 60 * 60_000;
const start = Date.parse("2026-11-01T00:00:00Z");
const atOnce = 2_000;
const models = ["gpt-5-mini", "gpt-5", "claude-sonnet", "claude-haiku", "gemini-flash", "gemini-pro", "small", "rare"];

/** One of ten thousand is of the rare model, three of a hundred failed, and every fourth has tags. */
function makeRecord(place: number): UsageRecord {
  const createdAt = start + Math.floor((place / count) * monthMs);
  const model = models[place % 10_007 === 0 ? 7 : place % 7] ?? "";
  const example = exampleRecord({ id: newRequestId(createdAt), createdAt, keyId: keyOf(place), model });
  const { usage, routing } = example;
  const attribution =
    place % 4 === 0
      ? {
          tags: `{"team":"t${Math.floor(place / 40) % 5}"}`,
          endUser: `user-${Math.floor(place / 40) % 1_000}`,
          session: null,
        }
      : example.attribution;
  return {
    ...example,
    responseId: `chatcmpl-${place}`,
    status: place % 33 === 0 ? "failed" : "succeeded",
    attribution,
    usage: {
      ...usage,
      dimensions: usage.dimensions.map((each) => ({ ...each, quantity: each.quantity + (place % 97) })),
    },
    routing: { ...routing, provider: place % 3 === 0 ? "openai" : "azure" },
  };
}

function keyOf(place: number): string {
  return `bench${String(place % keys).padStart(5, "0")}`;
}

async function fill(storage: Storage): Promise<void> {
  const before = performance.now();
  let shown = 0;
  for (let from = 0; from < count; from += atOnce) {
    const size = Math.min(atOnce, count - from);
    await insertRecords(
      storage.records,
      Array.from({ length: size }, (_, index) => makeRecord(from + index)),
    );
    if (Math.floor((from / count) * 10) > shown) {
      shown += 1;
      const seconds = ((performance.now() - before) / 1000).toFixed(0);
      console.log(`  ${shown * 10} % after ${seconds} s`);
    }
  }
}

async function measure(name: string, run: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let index = 0; index < runs; index += 1) {
    const before = performance.now();
    await run();
    times.push(performance.now() - before);
  }
  const { user, system } = process.cpuUsage(cpu);
  const ordered = times.toSorted((a, b) => a - b);
  const [first = 0] = times;
  const at = (share: number) => `${percentile(ordered, share).toFixed(1)} ms`;
  console.log(
    `  ${name.padEnd(60)} median ${at(0.5)}, longest ${at(1)}, first ${first.toFixed(1)} ms; processor ${((user + system) / runs / 1000).toFixed(1)} ms`,
  );
}

async function measureAll(storage: Storage): Promise<void> {
  const { usage, records } = storage;
  const keyId = keyOf(0);
  const nothing = { accountId: null, model: null, endpoint: null, status: null, from: null, to: null, facets: [] };
  const own: RecordFilter = { ...nothing, keyId };
  const all: RecordFilter = { ...nothing, keyId: null };
  const page = { limit: 51, before: null };
  const [newest] = await usage.list(own, { limit: 1, before: null });
  const list = (filter: Partial<RecordFilter>, of = own) => usage.list({ ...of, ...filter }, page);
  await measure("lookup by id", () => records.find(keyId, newest?.id ?? ""));
  await measure("page of 50", () => list({}));
  await measure("page of 50, of one model", () => list({ model: "gpt-5" }));
  await measure("page of 50, failed", () => list({ status: "failed" }));
  await measure("page of 50, failed, of one model and within a week", () =>
    list({ model: "gpt-5", status: "failed", from: start + 7 * 86_400_000 + 1, to: start + 14 * 86_400_000 + 1 }),
  );
  await measure("page of 50, of a model that one of 10,000 asked for", () => list({ model: "rare" }));
  await measure("page of 50, of a model that was never asked for", () => list({ model: "none" }));
  await measure("page of 50, of a tag", () => list({ facets: [{ name: "tag:team", value: "t1" }] }));
  await measure("page of 50, all keys, failed", () => list({ status: "failed" }, all));

  const sum = (by: SummaryKey[], filter = own, timeZone = "UTC", from: number | null = null) =>
    summarize(usage, { filter: { ...filter, from }, by, timeZone });
  await measure("month by day and model", () => sum(["day", "model"]));
  await measure("month in all", () => sum([]));
  await measure("month by day, provider and status", () => sum(["day", "provider", "status"]));
  await measure("month by day and model, Europe/Berlin", () => sum(["day", "model"], own, "Europe/Berlin"));
  await measure("month by day and model, Asia/Kolkata", () => sum(["day", "model"], own, "Asia/Kolkata"));
  await measure("month by hour", () => sum(["hour"]));
  await measure("month from an odd millisecond, by model", () => sum(["model"], own, "UTC", start + 12_345_678));
  await measure("month by tag", () => sum(["tag:team"]));
  await measure("month by hour and tag", () => sum(["hour", "tag:team"]));
  await measure("month by day and tag, Europe/Berlin", () => sum(["day", "tag:team"], own, "Europe/Berlin"));
  await measure("month by end user (1,000)", () => sum(["end_user"]));
  await measure("month by day, of one end user, Europe/Berlin", () =>
    sum(["day"], { ...own, facets: [{ name: "end_user", value: "user-0" }] }, "Europe/Berlin"),
  );
  await measure("month of all keys by day and model", () => sum(["day", "model"], all));
}

async function bench(name: string, url: string, afterFill = async () => {}): Promise<void> {
  console.log(`${name}: ${count} records of ${keys} keys over 30 days`);
  const storage = await openStorage(url);
  await fill(storage);
  await afterFill();
  await measureAll(storage);
  await storage.close();
}

/** Counts the rows, as a Postgres does by itself within minutes: without that it plans for an empty table. */
async function analyze(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("analyze");
  await client.end();
}

if (values.storage !== "postgres") {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-usage-"));
  await bench("SQLite", `sqlite:${join(folder, "tollgate.db")}`);
  rmSync(folder, { recursive: true, force: true });
}
if (values.storage !== "sqlite") {
  const postgres = await startPostgres();
  await bench("Postgres", postgres.url, () => analyze(postgres.url));
  await postgres.stop();
}
