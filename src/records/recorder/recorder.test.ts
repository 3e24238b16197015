import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { failureOf } from "../failure-of.testkit.ts";
import { exampleRecord } from "../example-record.testkit.ts";
import type { UsageRecord } from "../record.ts";
import { createFaultyStore, drained, removeFolders, setUp, until } from "./recorder.testkit.ts";
import { type WriteAt, writeAt } from "../journal/segment.ts";
import { maxTransferBatch } from "./transfer.ts";

afterAll(removeFolders);

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
    const records = Array.from({ length: 2 * maxTransferBatch + 44 }, () => exampleRecord());
    await Promise.all(records.map((record) => recorder.commit(record)));
    expect(writes).toBe(1);
    expect(faulty.stored.size).toBe(0);
    expect(await recorder.find(records[7]!.keyId, records[7]!.id)).toEqual(records[7]!);
    await drained(journal);
    expect(faulty.batches).toEqual([maxTransferBatch, maxTransferBatch, 44]);
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

  test("a charge that is being stored is not counted beside the balance of the store", async () => {
    const faulty = createFaultyStore(true);
    const { recorder } = setUp(faulty.store);
    const record = exampleRecord();
    const committed = recorder.commit(record);
    // Its hold stands until then, and the store may have booked it already.
    expect(recorder.unstoredMicrousd(record.accountId)).toBe(0);
    await committed;
    expect(recorder.unstoredMicrousd(record.accountId)).toBe(0);
    await recorder.close();
  });

  test("a charge in the journal is counted until it is in the store", async () => {
    const faulty = createFaultyStore();
    const { recorder, journal } = setUp(faulty.store);
    const record = exampleRecord();
    expect(record.billing.amountMicrousd).toBeGreaterThan(0);
    await recorder.commit(record);
    expect(recorder.unstoredMicrousd(record.accountId)).toBe(record.billing.amountMicrousd);
    await drained(journal);
    expect(recorder.unstoredMicrousd(record.accountId)).toBe(0);
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
    const { recorder } = setUp(faulty.store, { maxBytes: 131_072 });
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
