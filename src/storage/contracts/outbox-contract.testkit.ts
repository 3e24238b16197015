import { expect, test } from "bun:test";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Storage } from "../storage.ts";

/** Tests that every outbox must pass. `other` is the same database as seen by another process. */
export function outboxContract(stores: () => { readonly storage: Storage; readonly other: Storage }): void {
  const leaseMs = 1_000;
  const day = 24 * 3_600_000;
  let lastAccount = 0;

  /** A record with an event, of an account of its own. */
  function notable(fields: Partial<UsageRecord> = {}, billing: Partial<UsageRecord["billing"]> = {}): UsageRecord {
    const record = exampleRecord(fields);
    const unpriced = { status: "unpriced", amountMicrousd: 0, lineItems: [] } as const;
    return { ...record, billing: { ...record.billing, ...unpriced, ...billing } };
  }

  function newAccount(): string {
    lastAccount += 1;
    return `outbox-${lastAccount}`;
  }

  /** All events of an account. They are this test's afterwards. */
  async function eventsOf(accountId: string) {
    const { storage } = stores();
    const all = await storage.outbox.claim(Number.MAX_SAFE_INTEGER - leaseMs, leaseMs, 10_000);
    return all.filter((event) => event.accountId === accountId);
  }

  test("has one event for the records of an account and model on one day that are unpriced or suspect", async () => {
    const { storage, other } = stores();
    const accountId = newAccount();
    const createdAt = Date.UTC(2026, 9, 26, 10);
    const [first, second] = [notable({ accountId, createdAt }), notable({ accountId, createdAt: createdAt + 1 })];
    await insertRecords(storage.records, [first, exampleRecord({ accountId, createdAt }), second]);
    await insertRecords(other.records, [notable({ accountId, createdAt: createdAt + 2 })]);
    await insertRecords(storage.records, [first, notable({ accountId, createdAt: createdAt + day })]);
    await insertRecords(storage.records, [notable({ accountId, createdAt }, { suspect: true })]);
    await insertRecords(storage.records, [notable({ accountId, createdAt, model: "other" })]);
    const events = await eventsOf(accountId);
    expect(
      events.map(({ kind, payload }) => `${kind} ${JSON.parse(payload).model} ${JSON.parse(payload).day}`).sort(),
    ).toEqual([
      "usage.suspect gpt-5-mini 2026-10-26",
      "usage.unpriced gpt-5-mini 2026-10-26",
      "usage.unpriced gpt-5-mini 2026-10-27",
      "usage.unpriced other 2026-10-26",
    ]);
    const event = events.find(({ createdAt: at, kind }) => at === createdAt && kind === "usage.unpriced");
    expect(event).toMatchObject({
      id: expect.stringMatching(/^evt_unpriced_[0-9a-f]{26}$/),
      attempts: 0,
      deliveredTo: [],
    });
  });

  test("has the event of a job once its record is final, and none of a record that lost its idempotency key", async () => {
    const { storage } = stores();
    const accountId = newAccount();
    const record = notable({ accountId, status: "pending" });
    await insertRecords(storage.records, [record]);
    expect(await eventsOf(accountId)).toEqual([]);
    await insertRecords(storage.records, [{ ...record, status: "succeeded" }]);
    expect(await eventsOf(accountId)).toMatchObject([{ accountId, kind: "usage.unpriced" }]);
    const lost = { ...notable({ accountId, model: "lost" }), idempotent: { idempotencyKey: "taken", answer: null } };
    const claim = {
      keyId: lost.keyId,
      idempotencyKey: "taken",
      bodyHash: "h",
      requestId: "req_winner",
      now: 1,
      aliveSince: 0,
    };
    await storage.idempotency.claim({ ...claim, leaseUntil: Number.MAX_SAFE_INTEGER });
    await insertRecords(storage.records, [lost]);
    expect((await eventsOf(accountId)).filter(({ payload }) => payload.includes("lost"))).toEqual([]);
  });

  test("gives an event to one process, and to another once the lease is over", async () => {
    const { storage, other } = stores();
    const accountId = newAccount();
    await eventsOf(accountId);
    const now = Date.UTC(2026, 0, 1);
    const records = Array.from({ length: 20 }, (_, index) =>
      notable({ accountId, createdAt: now, model: `m${index}` }),
    );
    await insertRecords(storage.records, records);
    const claims = await Promise.all([
      storage.outbox.claim(now, leaseMs, 20),
      other.outbox.claim(now, leaseMs, 20),
      storage.outbox.claim(now, leaseMs, 20),
    ]);
    const ids = claims.flat().map(({ id }) => id);
    expect(ids).toHaveLength(20);
    expect(new Set(ids).size).toBe(20);
    expect(await other.outbox.claim(now + leaseMs - 1, leaseMs, 20)).toEqual([]);
    expect(await other.outbox.claim(now + leaseMs, leaseMs, 7)).toHaveLength(7);

    const [delivered = "", failed = ""] = ids;
    const taken = { attempts: 0, deliveredTo: ["w"], nextAttemptAt: null, deliveredAt: now };
    const again = { attempts: 1, deliveredTo: ["v"], nextAttemptAt: now + 5_000, deliveredAt: null };
    await storage.outbox.change(delivered, taken);
    await other.outbox.change(delivered, again);
    await other.outbox.change(failed, again);
    const later = await storage.outbox.claim(now + 5_000, leaseMs, 100);
    expect(later.map(({ id }) => id)).not.toContain(delivered);
    expect(later.find(({ id }) => id === failed)).toMatchObject({ attempts: 1, deliveredTo: ["v"] });
  });

  test("takes no events of accounts that are to wait", async () => {
    const { storage } = stores();
    const [waiting, other] = [newAccount(), newAccount()];
    await eventsOf(waiting);
    const now = Date.UTC(2026, 0, 2);
    const models = ["m1", "m2", "m3"];
    const records = [waiting, other].flatMap((accountId) =>
      models.map((model) => notable({ accountId, model, createdAt: now })),
    );
    await insertRecords(storage.records, records);
    const claimed = await storage.outbox.claim(now, leaseMs, 20, [waiting, "none-such"]);
    expect(claimed.map(({ accountId }) => accountId)).toEqual([other, other, other]);
    expect(await storage.outbox.claim(now, leaseMs, 20)).toHaveLength(3);
  });

  test("forgets what is old", async () => {
    const { storage } = stores();
    const accountId = newAccount();
    const events = () => storage.outbox.claim(Number.MAX_SAFE_INTEGER - leaseMs, leaseMs, 10_000);
    // Other tests leave old events too.
    await storage.outbox.deleteExpired(6, 1_000);
    await insertRecords(storage.records, [
      notable({ accountId, createdAt: 5 }),
      notable({ accountId, createdAt: day }),
    ]);
    expect(await storage.outbox.deleteExpired(6, 100)).toBe(1);
    expect((await events()).filter((event) => event.accountId === accountId)).toHaveLength(1);
  });
}
