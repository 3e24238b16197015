import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { openJournal } from "./journal.ts";
import { arbitraryRecord } from "./record.arbitrary.ts";
import { exampleRecord } from "./record.example.ts";

const root = mkdtempSync(join(tmpdir(), "tollgate-journal-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const log = { info() {}, warn() {}, error() {} };
const newFolder = () => mkdtempSync(join(root, "case-"));
const open = (folder: string, maxBytes?: number) =>
  openJournal(maxBytes === undefined ? { folder, log } : { folder, log, maxBytes });

/** Leaves a journal with these records behind, as a process that was killed does. */
async function leaveBehind(folder: string, count: number): Promise<void> {
  const code = `
    const { openJournal } = await import(${JSON.stringify(join(import.meta.dir, "journal.ts"))});
    const { exampleRecord } = await import(${JSON.stringify(join(import.meta.dir, "record.example.ts"))});
    const journal = openJournal({ folder: ${JSON.stringify(folder)}, log: { info() {}, warn() {}, error() {} } });
    for (let i = 0; i < ${count}; i += 1) journal.append([exampleRecord({ id: "left-" + i })]);
    process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", code], { stdout: "ignore", stderr: "inherit" }).exited;
}

const journalFile = (folder: string) => {
  const name = readdirSync(folder).find((entry) => entry.endsWith(".jsonl"));
  if (name === undefined) throw new Error("There is no journal file.");
  return join(folder, name);
};

describe("journal", () => {
  test("gives back any record as it was, in order, and removes its files when empty", () => {
    fc.assert(
      fc.property(fc.array(arbitraryRecord, { minLength: 1, maxLength: 6 }), (records) => {
        const folder = newFolder();
        const journal = open(folder);
        journal.append(records.slice(0, 2));
        if (records.length > 2) journal.append(records.slice(2));
        const entries = journal.next(100);
        expect(entries.map((entry) => journal.read(entry))).toEqual(records);
        for (const record of records) expect(journal.find(record.keyId, record.id)).toEqual(record);
        journal.remove(entries);
        expect(journal.count).toBe(0);
        expect(readdirSync(folder)).toEqual([]);
        journal.close();
      }),
      { numRuns: 30 },
    );
  });

  test("finds by response id the key's newest, and nothing of another key", () => {
    const journal = open(newFolder());
    const [first, second] = [exampleRecord({ responseId: "same" }), exampleRecord({ responseId: "same" })];
    journal.append([second, first]);
    expect(journal.find(first.keyId, "same")).toEqual(second);
    expect(journal.find("stranger00", "same")).toBeNull();
    expect(journal.find("stranger00", first.id)).toBeNull();
    journal.close();
  });

  test("takes over what a killed process left, its torn last line excepted", async () => {
    const folder = newFolder();
    await leaveBehind(folder, 3);
    appendFileSync(journalFile(folder), `{"id":"left-3","keyId":"k12`);
    const journal = open(folder);
    expect(journal.next(100).map((entry) => journal.read(entry).id)).toEqual(["left-0", "left-1", "left-2"]);
    journal.append([exampleRecord({ id: "own" })]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".jsonl"))).toHaveLength(2);
    journal.remove(journal.next(3));
    expect(readdirSync(folder).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
    expect(journal.next(100).map((entry) => journal.read(entry).id)).toEqual(["own"]);
    journal.close();
  });

  test("leaves a living process's file alone, and only one of two takes over a dead one's", async () => {
    const folder = newFolder();
    const living = open(folder);
    living.append([exampleRecord()]);
    await leaveBehind(folder, 2);
    const [first, second] = [open(folder), open(folder)];
    expect([first.count, second.count]).toEqual([2, 0]);
    first.close();
    living.close();
    const last = open(folder);
    expect(last.count).toBe(3);
    last.close();
  });

  test("a torn line in the middle costs only itself", async () => {
    const folder = newFolder();
    await leaveBehind(folder, 1);
    appendFileSync(journalFile(folder), `{"id":"to\nnull\n${JSON.stringify(exampleRecord({ id: "after" }))}\n`);
    const journal = open(folder);
    expect(journal.next(100).map((entry) => journal.read(entry).id)).toEqual(["left-0", "after"]);
    journal.close();
  });

  test("is bounded: it says when it fills, keeps a reserve, and refuses beyond its end", () => {
    const journal = open(newFolder(), 16_000);
    let appended = 0;
    while (journal.hasRoom()) {
      journal.append([exampleRecord()]);
      appended += 1;
    }
    expect(appended).toBeGreaterThan(5);
    journal.append([exampleRecord()]);
    const many = Array.from({ length: 20 }, () => exampleRecord());
    expect(() => journal.append(many)).toThrow("full");
    expect(journal.count).toBe(appended + 1);
    journal.remove(journal.next(100));
    expect(journal.hasRoom()).toBe(true);
    journal.append(many.slice(0, 5));
    expect(journal.next(100).map((entry) => journal.read(entry))).toEqual(many.slice(0, 5));
    journal.close();
  });

  test("keeps answers for repetitions as long as they take no record's room", () => {
    const journal = open(newFolder(), 16_000);
    const withAnswer = (length: number) =>
      exampleRecord({
        idempotent: { idempotencyKey: "k", answer: { contentType: "text/plain", body: "x".repeat(length) } },
      });
    const [small, large] = [withAnswer(5_000), withAnswer(12_000)];
    journal.append([small]);
    journal.append([large]);
    expect(journal.next(2).map((entry) => journal.read(entry))).toEqual([
      small,
      { ...large, idempotent: { idempotencyKey: "k", answer: null } },
    ]);
    expect(journal.hasRoom()).toBe(true);
    journal.close();
  });

  test("a postponed entry comes last, a rejected one is kept aside", () => {
    const folder = newFolder();
    const journal = open(folder);
    const [first, second] = [exampleRecord(), exampleRecord()];
    journal.append([first, second]);
    const [head] = journal.next(1);
    journal.postpone(head!);
    expect(journal.next(2).map((entry) => entry.id)).toEqual([second.id, first.id]);
    journal.reject(head!);
    expect(journal.next(2).map((entry) => entry.id)).toEqual([second.id]);
    expect(JSON.parse(readFileSync(join(folder, "rejected.jsonl"), "utf8"))).toEqual(first);
    journal.close();
  });
});
