import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Journal, openJournal } from "./journal.ts";
import { failureOf } from "./failure-of.example.ts";
import { exampleRecord } from "./record.example.ts";
import type { RecordStore, UsageRecord } from "./record.ts";
import { RecordRejected } from "./record-rejected.ts";
import { createRecorder } from "./recorder.ts";

const root = mkdtempSync(join(tmpdir(), "tollgate-recorder-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const log = { info() {}, warn() {}, error() {} };

/** A store in memory whose faults the test sets. */
function createFaultyStore(asynchronous = false) {
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
      insertAll(records: readonly UsageRecord[]) {
        if (faulty.hangs) return new Promise<void>(() => {});
        return asynchronous ? later(() => insert(records)) : insert(records);
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
    for (const record of records) if (!stored.has(record.id)) stored.set(record.id, record);
  }

  async function later(action: () => void): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    action();
  }
  return faulty;
}

function setUp(store: RecordStore, change: Partial<Parameters<typeof openJournal>[0]> = {}) {
  const folder = change.folder ?? mkdtempSync(join(root, "case-"));
  const journal = openJournal({ folder, log, ...change });
  const recorder = createRecorder({
    store,
    journal,
    clock: { now: () => 0 },
    log,
    storeTimeoutMs: 20,
    shortestPauseMs: 1,
    longestPauseMs: 4,
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
  test.each([false, true])("groups the records of a turn in one batch (asynchronous: %p)", async (asynchronous) => {
    const faulty = createFaultyStore(asynchronous);
    const { recorder } = setUp(faulty.store);
    const records = Array.from({ length: 20 }, () => exampleRecord());
    await Promise.all(records.map((record) => recorder.commit(record)));
    expect(faulty.batches).toEqual([20]);
    expect([...faulty.stored.values()]).toEqual(records);
    await recorder.commit(exampleRecord());
    expect(faulty.batches).toEqual([20, 1]);
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
    const { recorder } = setUp(faulty.store);
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
    "while the store fails the journal keeps records, then they go over (asynchronous: %p)",
    async (asynchronous) => {
      const faulty = createFaultyStore(asynchronous);
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
      expect(new Set(faulty.stored.values())).toEqual(new Set([...records, afterwards]));
      expect(readdirSync(folder)).toEqual([]);
      await recorder.close();
    },
  );

  test("a store that hangs is given up within the time allowed, and tried again", async () => {
    const faulty = createFaultyStore();
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
    const { recorder, journal } = setUp(faulty.store, { maxBytes: 8_000 });
    faulty.down = true;
    const committed: UsageRecord[] = [];
    while (recorder.hasRoom()) {
      const record = exampleRecord();
      await recorder.commit(record);
      committed.push(record);
    }
    expect(committed.length).toBeGreaterThan(2);
    const tooMany = await Promise.allSettled(Array.from({ length: 30 }, () => recorder.commit(exampleRecord())));
    expect(tooMany.every((result) => result.status === "rejected")).toBe(true);
    faulty.down = false;
    await drained(journal);
    expect(recorder.hasRoom()).toBe(true);
    expect([...faulty.stored.values()]).toEqual(committed);
    await recorder.close();
  });

  test("where store and journal fail a commit rejects, and both recover", async () => {
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
    await recorder.commit(exampleRecord());
    expect(faulty.stored.size).toBe(1);
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
    expect(faulty.stored.has(next.id)).toBe(true);
    await recorder.close();
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
