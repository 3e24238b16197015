import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { tagsToText } from "../../attribution/attribution.ts";
import { bareRecord, type CompactRecord, compactRecord, expandRecord } from "../compact-record.ts";
import { type JournalOptions, openJournal } from "./journal.ts";
import { arbitraryRecord } from "../arbitrary-record.testkit.ts";
import { exampleRecord } from "../example-record.testkit.ts";
import { lineToRecord, recordToLine } from "./record-line.ts";
import type { UsageRecord } from "../record.ts";
import { slotBytes } from "./room.ts";
import { writeAt } from "./segment.ts";

const root = mkdtempSync(join(tmpdir(), "tollgate-journal-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const log = { info() {}, warn() {}, error() {} };
const newFolder = () => mkdtempSync(join(root, "case-"));
const open = (folder: string, options: Partial<JournalOptions> = {}) => openJournal({ folder, log, ...options });
const example = (change: Partial<UsageRecord> = {}): CompactRecord => compactRecord(exampleRecord(change));

/** Leaves a journal with these records behind, as a process that was killed does. */
async function leaveBehind(folder: string, count: number): Promise<void> {
  const code = `
    const folder = ${JSON.stringify(import.meta.dir)};
    const { openJournal } = await import(folder + "/journal.ts");
    const { compactRecord } = await import(folder + "/../compact-record.ts");
    const { exampleRecord } = await import(folder + "/../example-record.testkit.ts");
    const journal = openJournal({ folder: ${JSON.stringify(folder)}, log: { info() {}, warn() {}, error() {} } });
    for (let i = 0; i < ${count}; i += 1) journal.append([compactRecord(exampleRecord({ id: "left-" + i }))]);
    process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", code], { stdout: "ignore", stderr: "inherit" }).exited;
}

const segmentFiles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^records-.*\.jsonl$/.test(name))
    .sort()
    .map((name) => join(folder, name));

/** Writes text behind the lines of the folder's first segment, as a process that is killed while it writes does. */
function writeBehind(folder: string, text: string): void {
  const [file = ""] = segmentFiles(folder);
  const bytes = readFileSync(file);
  bytes.write(text, bytes.indexOf(0));
  writeFileSync(file, bytes);
}

const idsOf = (journal: ReturnType<typeof open>) => journal.next(1_000).map((entry) => entry.id);

describe("journal", () => {
  test("returns every record unchanged, in order, and removes its files at the end", () => {
    fc.assert(
      fc.property(fc.array(arbitraryRecord, { minLength: 1, maxLength: 6 }), (given) => {
        const folder = newFolder();
        const journal = open(folder);
        // As any store would have them.
        const records = given.map((record) => expandRecord(compactRecord(record)));
        journal.append(records.slice(0, 2).map(compactRecord));
        if (records.length > 2) journal.append(records.slice(2).map(compactRecord));
        const entries = journal.next(100);
        expect(entries.map((entry) => expandRecord(journal.read(entry)))).toEqual(records);
        for (const entry of entries) expect(journal.read({ ...entry, record: null })).toEqual(journal.read(entry));
        for (const record of records) expect(journal.find(record.keyId, record.id)).toEqual(record);
        journal.remove(entries);
        expect(journal.count).toBe(0);
        journal.close();
        expect(readdirSync(folder)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test("finds by response id the key's newest, and nothing of another key", () => {
    const journal = open(newFolder());
    const [first, second] = [exampleRecord({ responseId: "same" }), exampleRecord({ responseId: "same" })];
    journal.append([second, first].map(compactRecord));
    expect(journal.find(first.keyId, "same")).toEqual(second);
    expect(journal.find("stranger00", "same")).toBeNull();
    expect(journal.find("stranger00", first.id)).toBeNull();
    journal.close();
  });

  test("takes over what a killed process left, its torn last line excepted", async () => {
    const folder = newFolder();
    await leaveBehind(folder, 3);
    writeBehind(folder, `["left-3","k12`);
    const journal = open(folder);
    expect(idsOf(journal)).toEqual(["left-0", "left-1", "left-2"]);
    journal.append([example({ id: "own" })]);
    expect(segmentFiles(folder)).toHaveLength(2);
    journal.remove(journal.next(3));
    expect(segmentFiles(folder)).toHaveLength(1);
    expect(idsOf(journal)).toEqual(["own"]);
    journal.close();
  });

  test("leaves a living process's files alone, and only one of two takes over a dead one's", async () => {
    const folder = newFolder();
    const living = open(folder);
    living.append([example()]);
    await leaveBehind(folder, 2);
    const [first, second] = [open(folder), open(folder)];
    expect([first.count, second.count]).toEqual([2, 0]);
    for (const each of [first, second, living]) each.close();
    const last = open(folder);
    expect(last.count).toBe(3);
    last.close();
  });

  test("takes over while it runs what a process leaves that dies later", async () => {
    const folder = newFolder();
    const journal = open(folder);
    journal.append([example({ id: "own" })]);
    expect(journal.adoptLeft()).toBe(true);
    await leaveBehind(folder, 2);
    expect(journal.adoptLeft()).toBe(false);
    expect(idsOf(journal)).toEqual(["own", "left-0", "left-1"]);
    expect(journal.adoptLeft()).toBe(false);
    expect(journal.count).toBe(3);
    journal.remove(journal.next(3));
    expect(journal.adoptLeft()).toBe(true);
    journal.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("keeps the account, the lease and what was held of a record, and tells what an account is charged", () => {
    const folder = newFolder();
    const journal = open(folder);
    const held = example({ accountId: "team-a", heldMicrousd: 900, leaseId: "lease-1" });
    journal.append([held, example({ accountId: "team-a" }), example()]);
    expect(journal.chargedMicrousd("team-a")).toBe(1_502);
    expect(journal.read({ ...journal.next(1)[0]!, record: null })).toEqual(held);
    journal.close();
  });

  test("reads lines of versions without accounts", () => {
    const line = recordToLine(example({ id: "old" }));
    const [head = "", body = ""] = line.trimEnd().split("\t");
    const old = `${JSON.stringify((JSON.parse(head) as unknown[]).slice(0, 10))}\t${body}`;
    expect(lineToRecord(old)).toEqual(example({ id: "old" }));
  });

  test("a torn line in the middle costs only itself", async () => {
    const folder = newFolder();
    await leaveBehind(folder, 1);
    writeBehind(folder, `["to\nnull\n[]\t{\n${recordToLine(example({ id: "after" }))}`);
    const journal = open(folder);
    expect(idsOf(journal)).toEqual(["left-0", "after"]);
    journal.close();
  });

  test("a pending record gives way to its final one, here and at the next start", () => {
    const folder = newFolder();
    const journal = open(folder);
    const final = exampleRecord();
    const pending: UsageRecord = { ...final, status: "pending", responseId: null };
    journal.append([pending].map(compactRecord));
    const [taken] = journal.next(1);
    expect(journal.find(final.keyId, final.id)).toEqual(pending);
    journal.append([final, pending, { ...final, model: "changed" }].map(compactRecord));
    // The store has got the pending one meanwhile.
    journal.remove([taken!]);
    journal.close();
    const next = open(folder);
    expect(next.count).toBe(1);
    expect(next.find(final.keyId, final.id)).toEqual(final);
    next.close();
  });

  test("a postponed entry comes last, a rejected one is kept aside", () => {
    const folder = newFolder();
    const journal = open(folder);
    const [first, second] = [exampleRecord(), exampleRecord()];
    journal.append([first, second].map(compactRecord));
    const [head] = journal.next(1);
    journal.postpone(head!);
    expect(idsOf(journal)).toEqual([second.id, first.id]);
    journal.reject(head!);
    expect(idsOf(journal)).toEqual([second.id]);
    expect(JSON.parse(readFileSync(join(folder, "rejected.jsonl"), "utf8"))).toEqual(first);
    journal.close();
  });
});

describe("the journal's room", () => {
  const maxBytes = 512 * 1024;
  const large = () => example({ providerUsage: { family: "openai-chat", rawFields: { text: "x".repeat(12_000) } } });

  test("is allocated on disk before it is reserved", () => {
    const folder = newFolder();
    const journal = open(folder, { maxBytes });
    for (let requests = 0; requests < 40; requests += 1) expect(journal.reserve()).toBe(true);
    const allocated = segmentFiles(folder).reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
    expect(allocated).toBeGreaterThanOrEqual(40 * slotBytes);
    journal.close();
  });

  test("holds a record for each reservation, however long it is, and no reservation more than it can hold", () => {
    const journal = open(newFolder(), { maxBytes });
    let reserved = 0;
    while (journal.reserve()) reserved += 1;
    expect(reserved).toBeGreaterThan(50);
    expect(reserved * slotBytes).toBeLessThanOrEqual(maxBytes);
    expect(journal.hasRoom()).toBe(false);
    for (let requests = 0; requests < reserved; requests += 1) {
      journal.append([large()]);
      journal.release();
    }
    expect(journal.count).toBe(reserved);
    const onDisk = journal.next(1_000).map((entry) => expandRecord(journal.read({ ...entry, record: null })));
    expect(onDisk.map(({ providerUsage }) => providerUsage)).toContainEqual({
      family: "openai-chat",
      rawFields: {},
      omitted: true,
    });
    journal.close();
  });

  test("is bounded: refuses beyond its end without keeping a part, and is free again once records have left", () => {
    const folder = newFolder();
    const journal = open(folder, { maxBytes });
    while (journal.hasRoom()) journal.append([example()]);
    const { count } = journal;
    expect(count).toBeGreaterThan(100);
    const many = Array.from({ length: 2_000 }, () => example());
    expect(() => journal.append(many)).toThrow("no room");
    expect(journal.count).toBe(count);
    journal.remove(journal.next(10_000));
    expect(journal.hasRoom()).toBe(true);
    journal.append(many.slice(0, 5));
    expect(idsOf(journal)).toEqual(many.slice(0, 5).map((record) => record.id));
    journal.close();
    // What went to the store from the same segment comes again, and is there already.
    const next = open(folder);
    expect(idsOf(next).slice(-5)).toEqual(many.slice(0, 5).map((record) => record.id));
    next.close();
  });

  test("is used again and again without growing", () => {
    const folder = newFolder();
    const journal = open(folder, { maxBytes });
    for (let round = 0; round < 60; round += 1) {
      journal.append(Array.from({ length: 25 }, () => example()));
      journal.remove(journal.next(25));
    }
    expect(segmentFiles(folder).length).toBeLessThanOrEqual(2);
    const last = example({ id: "last" });
    journal.append([last]);
    journal.close();
    const next = open(folder);
    expect(next.find(last.keyId, "last")).toEqual(expandRecord(last));
    expect(next.count).toBeLessThanOrEqual(200);
    next.close();
  });

  test("a record whose answer is larger than a segment is kept without the answer", () => {
    const folder = newFolder();
    const journal = open(folder);
    const answer = { contentType: "application/json", body: "x".repeat(6 << 20) };
    const large = example({ id: "large", idempotent: { idempotencyKey: "k", answer } });
    const small = example({ id: "small" });
    journal.append([large, small]);
    journal.close();
    const next = open(folder);
    expect(next.find(large.keyId, "large")).toEqual(expandRecord(bareRecord(large)));
    expect(next.find(small.keyId, "small")).toEqual(expandRecord(small));
    next.close();
  });

  test("any bare record fits a slot", () => {
    const wild = fc.string({ unit: "binary", maxLength: 600 });
    const longestTags = tagsToText(
      Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`n${at}`, "x".repeat(119)])),
    );
    fc.assert(
      fc.property(arbitraryRecord, wild, wild, (record, first, second) => {
        const whole = compactRecord({
          ...record,
          responseId: first,
          model: second,
          endpoint: first + second,
          error: { type: "server_error", code: second },
          attribution: { tags: longestTags, endUser: "€".repeat(256), session: "\u0001".repeat(256) },
          idempotent: { idempotencyKey: "k", answer: { contentType: "text/plain", body: first } },
        });
        expect(Buffer.byteLength(recordToLine(bareRecord(whole)))).toBeLessThanOrEqual(slotBytes);
      }),
    );
  });

  test("a write that fails leaves nothing of its records, now and at the next start", () => {
    const folder = newFolder();
    let allowed = Infinity;
    const journal = open(folder, {
      maxBytes,
      write(descriptor, bytes, position) {
        // Zeros are written over what was begun; lines are cut short.
        if (bytes[0] === 0) return writeAt(descriptor, bytes, position);
        if (allowed <= 0) throw new Error("ENOSPC: no space left on device");
        const written = writeAt(descriptor, bytes.subarray(0, allowed), position);
        allowed -= written;
        return written;
      },
    });
    journal.append([example({ id: "first" })]);
    // Enough for several segments, of which the first are written whole.
    for (const bytes of [0, 1, 700, 40_000, 70_000, 100_000]) {
      allowed = bytes;
      expect(() => journal.append(Array.from({ length: 200 }, () => example()))).toThrow("ENOSPC");
      expect(idsOf(journal)).toEqual(["first"]);
      allowed = Infinity;
    }
    journal.append([example({ id: "second" })]);
    expect(idsOf(journal)).toEqual(["first", "second"]);
    journal.close();
    const next = open(folder);
    expect(idsOf(next)).toEqual(["first", "second"]);
    next.close();
  });

  test("reports no room while none can be allocated, and recovers later", async () => {
    let isFull = true;
    const folder = newFolder();
    const journal = open(folder, {
      maxBytes,
      write(descriptor, bytes, position) {
        if (isFull) throw new Error("ENOSPC: no space left on device");
        return writeAt(descriptor, bytes, position);
      },
    });
    expect(journal.hasRoom()).toBe(false);
    expect(journal.reserve()).toBe(false);
    expect(() => journal.append([example()])).toThrow("no room");
    expect(segmentFiles(folder)).toEqual([]);
    isFull = false;
    const deadline = performance.now() + 5_000;
    while (!journal.hasRoom() && performance.now() < deadline) await Bun.sleep(5);
    expect(journal.hasRoom()).toBe(true);
    journal.append([example()]);
    journal.close();
  });
});
