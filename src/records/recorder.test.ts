import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Journal, openJournal } from "./journal.ts";
import { failureOf } from "./failure-of.testkit.ts";
import { exampleRecord } from "./example-record.testkit.ts";
import type { UsageRecord } from "./record.ts";
import type { RecordStore } from "./record-store.ts";
import { RecordRejected } from "./record-rejected.ts";
import { type CompactRecord, expandRecord } from "./compact-record.ts";
import { createRecorder } from "./recorder.ts";
import { type WriteAt, writeAt } from "./segment.ts";
import { maxTransferBatch } from "./transfer.ts";

const root = mkdtempSync(join(tmpdir(), "tollgate-recorder-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const log = { info() {}, warn() {}, error() {} };

/** A store in memory whose faults the test sets. A shared one is asynchronous, as Postgres; the other is as SQLite. */
function createFaultyStore(isShared = false) {
  const stored = new Map<string, UsageRecord>();
  const batches: number[] = [];
  const faulty = {
    stored,
    batches,
    down: false,
    /** Inserts and lookups never answer. */
    hangs: false,
    refuses: (_record: UsageRecord): Error | null => null,
    store: {
      isShared,
      busy: () => null,
      insertAll(compacted: readonly CompactRecord[]) {
        if (faulty.hangs) return new Promise<void>(() => {});
        const records = compacted.map(expandRecord);
        return isShared ? later(() => insert(records)) : insert(records);
      },
      async find(keyId: string, id: string) {
        if (faulty.hangs) return new Promise<never>(() => {});
        if (faulty.down) throw new Error("down");
        const record = stored.get(id);
        return record?.keyId === keyId ? record : null;
      },
      findAnyones: async (id: string) => stored.get(id) ?? null,
    } satisfies RecordStore,
  };

  function insert(records: readonly UsageRecord[]): void {
    if (faulty.down) throw new Error("down");
    for (const record of records) {
      const refusal = faulty.refuses(record);
      if (refusal !== null) throw refusal;
    }
    batches.push(records.length);
    for (const record of records) {
      const isPending = stored.get(record.id)?.status === "pending";
      if (isPending ? record.status !== "pending" : !stored.has(record.id)) stored.set(record.id, record);
    }
  }

  async function later(action: () => void): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    action();
  }
  return faulty;
}

function setUp(store: RecordStore, change: Partial<Parameters<typeof openJournal>[0]> = {}, storeTimeoutMs = 20) {
  const folder = change.folder ?? mkdtempSync(join(root, "case-"));
  const journal = openJournal({ folder, log, ...change });
  const recorder = createRecorder({
    store,
    journal,
    clock: { now: () => 0 },
    log,
    storeTimeoutMs,
    gatherMs: 1,
    minPauseMs: 1,
    maxPauseMs: 4,
  });
  return { folder, journal, recorder };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("The condition did not come true within 5 s.");
    await Bun.sleep(1);
  }
}

const drained = (journal: Journal) => until(() => journal.count === 0);

describe("recorder", () => {
  test("groups the records of a turn in one batch for a shared store", async () => {
    const faulty = createFaultyStore(true);
    const { recorder } = setUp(faulty.store);
    const records = Array.from({ length: 20 }, () => exampleRecord());
    await Promise.all(records.map((record) => recorder.commit(record)));
    expect(faulty.batches).toEqual([20]);
    expect([...faulty.stored.values()]).toEqual(records);
    await recorder.commit(exampleRecord());
    expect(faulty.batches).toEqual([20, 1]);
    await recorder.close();
  });

  test("appends a turn's records with one write, and brings them to the store in bounded batches", async () => {
    const faulty = createFaultyStore();
    let writes = 0;
    const write: WriteAt = (...given) => {
      writes += 1;
      return writeAt(...given);
    };
    const { recorder, journal } = setUp(faulty.store, { write });
    writes = 0;
    const records = Array.from({ length: 300 }, () => exampleRecord());
    await Promise.all(records.map((record) => recorder.commit(record)));
    expect(writes).toBe(1);
    expect(faulty.stored.size).toBe(0);
    expect(await recorder.find(records[7]!.keyId, records[7]!.id)).toEqual(records[7]!);
    await drained(journal);
    expect(faulty.batches).toEqual([maxTransferBatch, maxTransferBatch, 300 - 2 * maxTransferBatch]);
    expect([...faulty.stored.values()]).toEqual(records);
    await recorder.close();
  });

  test("what ends a claim is in the store when its commit resolves", async () => {
    const faulty = createFaultyStore();
    const { recorder } = setUp(faulty.store, {});
    const plain = exampleRecord();
    const ending = exampleRecord({ idempotent: { idempotencyKey: "k", answer: null } });
    await Promise.all([recorder.commit(plain), recorder.commit(ending)]);
    expect(faulty.stored.has(ending.id)).toBe(true);
    expect(faulty.stored.has(plain.id)).toBe(false);
    await recorder.close();
    expect(faulty.stored.has(plain.id)).toBe(true);
  });

  test.each([false, true])("a pending record is replaced by its final one (shared: %p)", async (isShared) => {
    const faulty = createFaultyStore(isShared);
    const { recorder, journal } = setUp(faulty.store);
    const final = exampleRecord();
    const pending: UsageRecord = { ...final, status: "pending" };
    await recorder.commit(pending);
    expect(await recorder.find(final.keyId, final.id)).toEqual(pending);
    const replaced = recorder.commit(final);
    expect(await recorder.find(final.keyId, final.id)).toEqual(final);
    await replaced;
    await recorder.commit({ ...final, status: "failed" });
    await drained(journal);
    expect([...faulty.stored.values()]).toEqual([final]);
    await recorder.close();
  });

  test("an asynchronous store gets bounded batches, one at a time", async () => {
    const faulty = createFaultyStore(true);
    const { recorder } = setUp(faulty.store);
    await Promise.all(Array.from({ length: 1_234 }, () => recorder.commit(exampleRecord())));
    expect(faulty.batches).toEqual([500, 500, 234]);
    await recorder.close();
  });

  test("large answers for repetitions make a batch smaller", async () => {
    const faulty = createFaultyStore(true);
    const { recorder } = setUp(faulty.store, {}, 5_000);
    const answer = { contentType: "application/json", body: "x".repeat(6 << 20) };
    const large = () => exampleRecord({ idempotent: { idempotencyKey: "k", answer } });
    await Promise.all(Array.from({ length: 7 }, () => recorder.commit(large())));
    expect(faulty.batches).toEqual([3, 3, 1]);
    await recorder.close();
  });

  test("a record is found from the moment of its commit", async () => {
    const faulty = createFaultyStore(true);
    const { recorder } = setUp(faulty.store);
    const [first, second] = [exampleRecord({ responseId: "same" }), exampleRecord({ responseId: "same" })];
    const commits = [recorder.commit(first), recorder.commit(second)];
    expect(await recorder.find(first.keyId, first.id)).toEqual(first);
    expect(await recorder.find(first.keyId, "same")).toEqual(second);
    expect(await recorder.find("stranger00", first.id)).toBeNull();
    await Promise.all(commits);
    expect(await recorder.find(first.keyId, first.id)).toEqual(first);
    await recorder.close();
  });

  test.each([false, true])(
    "while the store fails the journal keeps records, then they go over (shared: %p)",
    async (isShared) => {
      const faulty = createFaultyStore(isShared);
      const { recorder, journal, folder } = setUp(faulty.store);
      faulty.down = true;
      const records = Array.from({ length: 700 }, () => exampleRecord());
      await Promise.all(records.map((record) => recorder.commit(record)));
      expect(journal.count).toBe(700);
      expect(recorder.hasRoom()).toBe(true);
      expect(await recorder.find(records[5]!.keyId, records[5]!.id)).toEqual(records[5]!);
      expect(await failureOf(recorder.find("k123456789", "req_elsewhere"))).toMatchObject({
        status: 503,
        code: "storage_unavailable",
      });
      faulty.down = false;
      await drained(journal);
      const afterwards = exampleRecord();
      await recorder.commit(afterwards);
      await recorder.close();
      expect(new Set(faulty.stored.values())).toEqual(new Set([...records, afterwards]));
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test("a store that hangs is given up within the time allowed, and tried again", async () => {
    const faulty = createFaultyStore(true);
    const { recorder, journal } = setUp(faulty.store);
    faulty.hangs = true;
    const record = exampleRecord();
    await recorder.commit(record);
    expect(journal.count).toBe(1);
    expect(await failureOf(recorder.find(record.keyId, "req_elsewhere"))).toMatchObject({
      code: "storage_unavailable",
    });
    faulty.hangs = false;
    await drained(journal);
    expect(faulty.stored.get(record.id)).toEqual(record);
    await recorder.close();
  });

  test("a full journal stops new requests until the store is back", async () => {
    const faulty = createFaultyStore();
    const { recorder, journal } = setUp(faulty.store, { maxBytes: 65_536 });
    faulty.down = true;
    const committed: UsageRecord[] = [];
    while (recorder.hasRoom()) {
      const record = exampleRecord();
      await recorder.commit(record);
      committed.push(record);
    }
    expect(committed.length).toBeGreaterThan(2);
    const tooMany = await Promise.allSettled(Array.from({ length: 300 }, () => recorder.commit(exampleRecord())));
    expect(tooMany.every((result) => result.status === "rejected")).toBe(true);
    faulty.down = false;
    await drained(journal);
    expect(recorder.hasRoom()).toBe(true);
    expect(new Set(faulty.stored.values())).toEqual(new Set(committed));
    await recorder.close();
  });

  test("if store and journal fail a commit rejects, and both recover", async () => {
    const faulty = createFaultyStore();
    const { recorder, journal } = setUp(faulty.store);
    const append = journal.append.bind(journal);
    journal.append = () => {
      throw new Error("disk full");
    };
    faulty.down = true;
    expect(await failureOf(recorder.commit(exampleRecord()))).toMatchObject({
      message: expect.stringContaining("disk full"),
    });
    expect(recorder.hasRoom()).toBe(false);
    journal.append = append;
    faulty.down = false;
    await until(() => recorder.hasRoom());
    const record = exampleRecord();
    await recorder.commit(record);
    await recorder.close();
    expect([...faulty.stored.keys()]).toEqual([record.id]);
  });

  test("a journal that cannot be written to does not matter while the store works", async () => {
    const faulty = createFaultyStore();
    const { recorder, journal } = setUp(faulty.store);
    journal.append = () => {
      throw new Error("disk full");
    };
    const record = exampleRecord();
    await recorder.commit(record);
    expect([...faulty.stored.values()]).toEqual([record]);
    await recorder.close();
  });

  test("a commit that failed may be tried again, and leaves one record", async () => {
    const faulty = createFaultyStore();
    let fails = false;
    const write: WriteAt = (descriptor, bytes, position) => {
      if (fails && bytes[0] !== 0) {
        writeAt(descriptor, bytes.subarray(0, bytes.length - 10), position);
        throw new Error("ENOSPC: no space left on device");
      }
      return writeAt(descriptor, bytes, position);
    };
    const { recorder, folder } = setUp(faulty.store, { write });
    const records = [exampleRecord(), exampleRecord(), exampleRecord()];
    fails = true;
    faulty.down = true;
    const failed = await Promise.allSettled(records.map((record) => recorder.commit(record)));
    expect(failed.every((result) => result.status === "rejected")).toBe(true);
    fails = false;
    await Promise.all(records.slice(0, 2).map((record) => recorder.commit(record)));
    await recorder.close();
    faulty.down = false;
    const next = setUp(faulty.store, { folder });
    await next.recorder.close();
    expect([...faulty.stored.values()]).toEqual(records.slice(0, 2));
  });

  test("reservations are counted, and given back", async () => {
    const faulty = createFaultyStore();
    const { recorder } = setUp(faulty.store, { maxBytes: 65_536 });
    let reserved = 0;
    while (recorder.reserve()) reserved += 1;
    expect(reserved).toBeGreaterThan(8);
    expect(recorder.hasRoom()).toBe(false);
    recorder.release();
    expect(recorder.reserve()).toBe(true);
    for (; reserved > 0; reserved -= 1) recorder.release();
    expect(recorder.hasRoom()).toBe(true);
    await recorder.close();
  });

  test.each([
    ["says so", () => new RecordRejected("out of range")],
    ["fails without a reason", () => new Error("unknown fault")],
  ])("a poisonous record does not stop the others, where the store %s", async (_case, refusal) => {
    const faulty = createFaultyStore(true);
    const { recorder, journal, folder } = setUp(faulty.store);
    const poison = exampleRecord({ model: "poison" });
    faulty.refuses = (record) => (record.model === "poison" ? refusal() : null);
    const good = Array.from({ length: 40 }, () => exampleRecord());
    const all = [...good.slice(0, 17), poison, ...good.slice(17)];
    await Promise.all(all.map((record) => recorder.commit(record)));
    await drained(journal);
    expect(new Set(faulty.stored.keys())).toEqual(new Set(good.map((record) => record.id)));
    expect(JSON.parse(readFileSync(join(folder, "rejected.jsonl"), "utf8"))).toEqual(poison);
    const next = exampleRecord();
    await recorder.commit(next);
    await recorder.close();
    expect(faulty.stored.has(next.id)).toBe(true);
  });

  test("what still waits at the end goes over at the next start", async () => {
    const faulty = createFaultyStore();
    const { recorder, folder } = setUp(faulty.store);
    faulty.down = true;
    const record = exampleRecord();
    void recorder.commit(record);
    await recorder.close();
    expect(faulty.stored.size).toBe(0);
    faulty.down = false;
    const again = setUp(faulty.store, { folder });
    await drained(again.journal);
    expect([...faulty.stored.values()]).toEqual([record]);
    await again.recorder.close();
  });

  test("closing brings the journal to a store that has come back", async () => {
    const faulty = createFaultyStore();
    const { recorder, folder } = setUp(faulty.store);
    faulty.down = true;
    await recorder.commit(exampleRecord());
    faulty.down = false;
    await recorder.close();
    expect(faulty.stored.size).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });
});
