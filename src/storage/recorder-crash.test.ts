import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "../records/journal.ts";
import { createRecorder } from "../records/recorder.ts";
import { systemClock } from "../clock.ts";
import { openStorage } from "./open-storage.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const log = { info() {}, warn() {}, error() {} };
const url = `sqlite:${join(folder, "tollgate.db")}`;
const journalFolder = join(folder, "journal");

/** Commits records as fast as it can and says each id once it is durable. Its store fails now and then. */
const committingProcess = `
  const folder = ${JSON.stringify(import.meta.dir)};
  const { writeSync } = await import("node:fs");
  const { openStorage } = await import(folder + "/open-storage.ts");
  const { openJournal } = await import(folder + "/../records/journal.ts");
  const { createRecorder } = await import(folder + "/../records/recorder.ts");
  const { exampleRecord } = await import(folder + "/../records/record.example.ts");
  const { systemClock } = await import(folder + "/../clock.ts");
  const log = { info() {}, warn() {}, error() {} };
  const { records } = await openStorage(${JSON.stringify(url)});
  const store = {
    ...records,
    insertAll(batch) {
      if (Math.random() < 0.02) throw new Error("the store fails now and then");
      return records.insertAll(batch);
    },
  };
  const journal = openJournal({ folder: ${JSON.stringify(journalFolder)}, log });
  const recorder = createRecorder({ store, journal, clock: systemClock, log, gatherMs: 2, minPauseMs: 2, maxPauseMs: 8 });
  const run = process.argv.at(-1);
  let last = 0;
  async function worker() {
    for (;;) {
      const id = "req_" + run + "_" + (last += 1);
      await recorder.commit(exampleRecord({ id }));
      writeSync(1, id + "\\n");
    }
  }
  for (let index = 0; index < 8; index += 1) void worker();
`;

test("no record whose commit resolved is lost or doubled by SIGKILL", async () => {
  mkdirSync(journalFolder);
  const acknowledged = new Set<string>();
  let runsWithJournal = 0;
  for (let run = 0; run < 30; run += 1) {
    const child = Bun.spawn([process.execPath, "-e", committingProcess, String(run)], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const reader = child.stdout.getReader();
    const first = await reader.read();
    await Bun.sleep(Math.random() * 30);
    child.kill("SIGKILL");
    await child.exited;
    const text = [first.value ?? new Uint8Array()];
    for (let part = await reader.read(); !part.done; part = await reader.read()) text.push(part.value);
    const lines = Buffer.concat(text).toString().split("\n");
    // The last line may have been cut by the kill.
    for (const id of lines.slice(0, -1)) acknowledged.add(id);
    if (readdirSync(journalFolder).some((name) => name.endsWith(".jsonl"))) runsWithJournal += 1;
  }

  const storage = await openStorage(url);
  const journal = openJournal({ folder: journalFolder, log });
  const recorder = createRecorder({ store: storage.records, journal, clock: systemClock, log });
  await recorder.close();
  await storage.close();
  expect(readdirSync(journalFolder)).toEqual([]);

  const database = new Database(join(folder, "tollgate.db"), { readonly: true });
  const ids = database
    .query<{ id: string }, []>("select id from requests")
    .all()
    .map((row) => row.id);
  const unique = new Set(ids);
  expect(ids.length).toBe(unique.size);
  expect([...acknowledged].filter((id) => !unique.has(id))).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(1_000);
  expect(runsWithJournal).toBeGreaterThan(0);
  expect(database.query("pragma integrity_check").values()).toEqual([["ok"]]);
  database.close();
}, 60_000);
