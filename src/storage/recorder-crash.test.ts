import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "../records/journal/journal.ts";
import { createRecorder } from "../records/recorder/recorder.ts";
import { systemClock } from "../clock.ts";
import { openStorage } from "./open-storage.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const log = { info() {}, warn() {}, error() {} };

interface Scene {
  readonly name: string;
  /** How many of the store's batches fail. */
  readonly faults: number;
  /** Small ones make the journal change its segment every few hundred records. */
  readonly maxBytes: number;
}

const scenes: readonly Scene[] = [
  { name: "while the store fails now and then", faults: 0.02, maxBytes: 64 * 1024 * 1024 },
  { name: "while batches go over and segments change", faults: 0, maxBytes: 256 * 1024 },
];

/**
 * Commits records as fast as it can and says each id once its record is durable; of every fifth first a pending one, and
 * the id only once the final one is.
 */
const committingProcess = (place: string, { faults, maxBytes }: Scene) => `
  const folder = ${JSON.stringify(import.meta.dir)};
  const { writeSync } = await import("node:fs");
  const { openStorage } = await import(folder + "/open-storage.ts");
  const { openJournal } = await import(folder + "/../records/journal/journal.ts");
  const { createRecorder } = await import(folder + "/../records/recorder/recorder.ts");
  const { exampleRecord } = await import(folder + "/../records/example-record.testkit.ts");
  const { systemClock } = await import(folder + "/../clock.ts");
  const log = { info() {}, warn() {}, error() {} };
  const { records } = await openStorage(${JSON.stringify(`sqlite:${join(place, "tollgate.db")}`)});
  const store = {
    ...records,
    insertAll(batch) {
      if (Math.random() < ${faults}) throw new Error("the store fails now and then");
      return records.insertAll(batch);
    },
  };
  const journal = openJournal({ folder: ${JSON.stringify(join(place, "journal"))}, log, maxBytes: ${maxBytes} });
  const recorder = createRecorder({ store, journal, clock: systemClock, log, gatherMs: 2, minPauseMs: 2, maxPauseMs: 8 });
  const run = process.argv.at(-1);
  let last = 0;
  async function worker() {
    for (;;) {
      const id = "req_" + run + "_" + (last += 1);
      if (last % 5 === 0) await recorder.commit(exampleRecord({ id, status: "pending" }));
      await recorder.commit(exampleRecord({ id }));
      writeSync(1, id + "\\n");
    }
  }
  for (let index = 0; index < 8; index += 1) void worker();
`;

/** Writes the beginning of a line behind the others, as a process does that is killed while it writes. */
function tearLastLine(journalFolder: string): void {
  for (const name of readdirSync(journalFolder).filter((file) => file.endsWith(".jsonl"))) {
    const file = join(journalFolder, name);
    const bytes = readFileSync(file);
    const end = bytes.indexOf(0);
    if (end <= 0 || end + 20 > bytes.length) continue;
    bytes.write(`["req_torn","k12345`, end);
    writeFileSync(file, bytes);
  }
}

test.each(scenes.map((scene) => [scene.name, scene] as const))(
  "no record whose commit resolved is lost, doubled or left pending by SIGKILL, %s",
  async (_name, scene) => {
    const place = mkdtempSync(join(folder, "scene-"));
    const journalFolder = join(place, "journal");
    mkdirSync(journalFolder);
    const acknowledged = new Set<string>();
    let runsWithJournal = 0;
    for (let run = 0; run < 30; run += 1) {
      const child = Bun.spawn([process.execPath, "-e", committingProcess(place, scene), String(run)], {
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
      tearLastLine(journalFolder);
    }

    const storage = await openStorage(`sqlite:${join(place, "tollgate.db")}`);
    const journal = openJournal({ folder: journalFolder, log });
    const recorder = createRecorder({ store: storage.records, journal, clock: systemClock, log });
    await recorder.close();
    await storage.close();
    expect(readdirSync(journalFolder)).toEqual([]);

    const database = new Database(join(place, "tollgate.db"), { readonly: true });
    const rows = database.query<{ id: string; status: string }, []>("select id, status from requests").all();
    const statuses = new Map(rows.map(({ id, status }) => [id, status]));
    expect(rows.length).toBe(statuses.size);
    expect([...acknowledged].filter((id) => statuses.get(id) !== "succeeded")).toEqual([]);
    expect(statuses.has("req_torn")).toBe(false);
    expect(acknowledged.size).toBeGreaterThan(100);
    expect(runsWithJournal).toBeGreaterThan(0);
    expect(database.query("pragma integrity_check").values()).toEqual([["ok"]]);
    database.close();
  },
  60_000,
);
