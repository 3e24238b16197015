import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { failureOf } from "../failure-of.testkit.ts";
import { exampleRecord } from "../example-record.testkit.ts";
import type { UsageRecord } from "../record.ts";
import { RecordRejected } from "../record-rejected.ts";
import { createFaultyStore, drained, errorLog, removeFolders, setUp, until } from "./recorder.testkit.ts";

/** Records that the store refuses, and records that nothing takes. */

afterAll(removeFolders);

describe("refused records", () => {
  test.each([
    ["says so", () => new RecordRejected("out of range")],
    ["fails without a reason", () => new Error("unknown fault")],
  ])("a poisonous record does not stop the others, where the store %s", async (_case, refusal) => {
    const faulty = createFaultyStore(true);
    const told = errorLog();
    const { recorder, journal, folder } = setUp(faulty.store, { log: told.log });
    const poison = exampleRecord({ model: "poison" });
    faulty.refuses = (record) => (record.model === "poison" ? refusal() : null);
    const good = Array.from({ length: 40 }, () => exampleRecord());
    const all = [...good.slice(0, 17), poison, ...good.slice(17)];
    await Promise.all(all.map((record) => recorder.commit(record)));
    await drained(journal);
    expect(new Set(faulty.stored.keys())).toEqual(new Set(good.map((record) => record.id)));
    expect(JSON.parse(readFileSync(join(folder, "rejected.jsonl"), "utf8"))).toEqual(poison);
    const { errors } = told;
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      details: { id: poison.id, tries: 3 },
      message: expect.stringContaining("retry.jsonl"),
    });
    const next = exampleRecord();
    await recorder.commit(next);
    await recorder.close();
    expect(faulty.stored.has(next.id)).toBe(true);
  });

  const rejectedIn = (folder: string) =>
    existsSync(join(folder, "rejected.jsonl"))
      ? readFileSync(join(folder, "rejected.jsonl"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as UsageRecord)
      : [];

  test.each([false, true])(
    "a record that is refused is tried again, and found meanwhile (shared: %p)",
    async (isShared) => {
      const faulty = createFaultyStore(isShared);
      const { recorder, journal, folder } = setUp(faulty.store, { retryMs: [1, 1, 1, 1_000_000] });
      const [poison, good] = [exampleRecord({ model: "poison" }), exampleRecord()];
      let refusals = 0;
      faulty.refuses = ({ model }) =>
        model === "poison" && (refusals += 1) < 4 ? new RecordRejected("no partition") : null;
      await Promise.all([recorder.commit(poison), recorder.commit(good)]);
      await until(() => faulty.stored.has(good.id));
      expect(await recorder.find(poison.keyId, poison.id)).toEqual(poison);
      await drained(journal);
      expect(faulty.stored.get(poison.id)).toEqual(poison);
      expect(refusals).toBeGreaterThanOrEqual(4);
      expect(rejectedIn(folder)).toEqual([]);
      await recorder.close();
    },
  );

  test("a store that refuses everything counts as away: nothing is put aside, and all goes over once it is mended", async () => {
    const faulty = createFaultyStore();
    const told = errorLog();
    const { recorder, journal, folder } = setUp(faulty.store, { log: told.log });
    faulty.refuses = () => new RecordRejected("no partition of relation found");
    const records = Array.from({ length: 200 }, () => exampleRecord());
    await Promise.all(records.map((record) => recorder.commit(record)));
    await until(() => recorder.isStoreAway);
    await Bun.sleep(30);
    expect(journal.count).toBe(200);
    expect(rejectedIn(folder)).toEqual([]);
    expect(told.errors).toEqual([]);
    for (const { keyId, id } of [records[0]!, records[199]!]) expect((await recorder.find(keyId, id))?.id).toBe(id);
    faulty.refuses = () => null;
    await drained(journal);
    expect(new Set(faulty.stored.keys())).toEqual(new Set(records.map(({ id }) => id)));
    expect(recorder.isStoreAway).toBe(false);
    await recorder.close();
  });

  test("many refused records in a row do not stop those behind them", async () => {
    const faulty = createFaultyStore();
    const { recorder, journal, folder } = setUp(faulty.store);
    faulty.refuses = ({ model }) => (model === "poison" ? new RecordRejected("out of range") : null);
    const poison = Array.from({ length: 60 }, () => exampleRecord({ model: "poison" }));
    const good = Array.from({ length: 200 }, () => exampleRecord());
    await Promise.all([...poison, ...good].map((record) => recorder.commit(record)));
    await until(() => faulty.stored.size === good.length);
    // Only others that the store takes tell the last ones from a store that refuses everything.
    for (let tries = 0; tries < 1_000 && rejectedIn(folder).length < poison.length; tries++) {
      await recorder.commit(exampleRecord());
      await Bun.sleep(2);
    }
    expect(new Set(rejectedIn(folder).map(({ id }) => id))).toEqual(new Set(poison.map(({ id }) => id)));
    await drained(journal);
    await recorder.close();
  });

  test("if rejected.jsonl is full, refused records stay in the journal, and the log says so once", async () => {
    const faulty = createFaultyStore();
    const told = errorLog();
    const { recorder, journal, folder } = setUp(faulty.store, { maxRejectedBytes: 5_000, log: told.log });
    faulty.refuses = ({ model }) => (model === "poison" ? new RecordRejected("out of range") : null);
    const poison = Array.from({ length: 12 }, () => exampleRecord({ model: "poison" }));
    for (const record of poison) await recorder.commit(record);
    await recorder.commit(exampleRecord());
    await until(() => told.errors.some(({ message }) => message.includes("will fill up")));
    const good = exampleRecord();
    await recorder.commit(good);
    await until(() => faulty.stored.has(good.id));
    await Bun.sleep(20);
    const aside = rejectedIn(folder);
    expect(aside.length).toBeWithin(1, 12);
    expect(aside.length + journal.count).toBe(12);
    for (const { keyId, id } of poison) {
      if (!aside.some((record) => record.id === id)) expect((await recorder.find(keyId, id))?.id).toBe(id);
    }
    expect(told.errors.filter(({ message }) => message.includes("will fill up"))).toHaveLength(1);
    faulty.refuses = () => null;
    await drained(journal);
    await recorder.close();
    expect(faulty.stored.size).toBe(14 - aside.length);
  });

  test("what is renamed to retry.jsonl is tried again at the next start, and lines that are no records are kept", async () => {
    const faulty = createFaultyStore();
    const { recorder, journal, folder } = setUp(faulty.store, { retryMs: [] });
    const good = exampleRecord();
    faulty.refuses = ({ id }) => (id === good.id ? null : new RecordRejected("out of range"));
    const records = [
      exampleRecord(),
      exampleRecord({ idempotent: { idempotencyKey: "k", answer: { contentType: "text/plain", body: "\u0000 x" } } }),
    ];
    for (const record of [...records, good]) await recorder.commit(record);
    await drained(journal);
    await recorder.close();
    renameSync(join(folder, "rejected.jsonl"), join(folder, "retry.jsonl"));
    appendFileSync(join(folder, "retry.jsonl"), '{"id":\n');
    faulty.refuses = () => null;
    const again = setUp(faulty.store, { folder });
    await drained(again.journal);
    await again.recorder.close();
    expect(new Set(faulty.stored.keys())).toEqual(new Set([good, ...records].map(({ id }) => id)));
    expect(readdirSync(folder)).toEqual(["rejected.jsonl"]);
    expect(readFileSync(join(folder, "rejected.jsonl"), "utf8")).toBe('{"id":\n');
  });

  test("a record that neither the store nor the journal took is committed later, and found meanwhile", async () => {
    const faulty = createFaultyStore();
    const { recorder, journal } = setUp(faulty.store);
    const append = journal.append.bind(journal);
    journal.append = () => {
      throw new Error("disk full");
    };
    faulty.down = true;
    const [first, second] = [exampleRecord(), exampleRecord()];
    for (const record of [first, second]) {
      await failureOf(recorder.commit(record));
      recorder.commitLater(record);
    }
    expect(await recorder.find(first.keyId, first.id)).toEqual(first);
    expect(await recorder.findAnyones(second.id)).toEqual(second);
    await Bun.sleep(10);
    journal.append = append;
    await until(() => journal.count === 2);
    faulty.down = false;
    await drained(journal);
    expect(new Set(faulty.stored.keys())).toEqual(new Set([first.id, second.id]));
    await recorder.close();
  });

  test("closing tries such a record once more, and the log names it if it is lost", async () => {
    for (const isDown of [false, true]) {
      const faulty = createFaultyStore();
      const told = errorLog();
      const { recorder, journal } = setUp(faulty.store, { log: told.log, minLatePauseMs: 1_000_000 });
      journal.append = () => {
        throw new Error("disk full");
      };
      faulty.down = true;
      const record = exampleRecord();
      await failureOf(recorder.commit(record));
      recorder.commitLater(record);
      faulty.down = isDown;
      await until(() => isDown || !recorder.isStoreAway);
      await recorder.close();
      expect(faulty.stored.has(record.id)).toBe(!isDown);
      expect(told.errors.some(({ details }) => "lost" in details)).toBe(isDown);
    }
  });
});
