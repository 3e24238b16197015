import { expect, test } from "bun:test";
import type { NewClaim } from "../../idempotency/store.ts";
import { exampleRecord, insertRecords, nextRequestId } from "../../records/example-record.testkit.ts";
import type { IdempotentEnd, UsageRecord } from "../../records/record.ts";
import type { Storage } from "../storage.ts";

let last = 0;
function exampleClaim(change: Partial<NewClaim> = {}): NewClaim {
  last += 1;
  return {
    keyId: "k123456789",
    idempotencyKey: `order-${last}`,
    requestId: nextRequestId(),
    bodyHash: "a".repeat(64),
    now: 1_700_000_100_000,
    leaseUntil: 1_700_000_160_000,
    aliveSince: 1_700_000_000_000,
    ...change,
  };
}

/** Another request with the same key, at another time if given. */
function again(claim: NewClaim, change: Partial<NewClaim> = {}): NewClaim {
  return { ...claim, requestId: nextRequestId(), ...change };
}

const answer = { contentType: "application/json", body: '{"text":"Zoë \\u0000 says 😀"}' };

/** The record with which a claim's request ends. */
function endOf({ keyId, idempotencyKey, requestId }: NewClaim, kept: IdempotentEnd["answer"] = answer): UsageRecord {
  return exampleRecord({ id: requestId, keyId, idempotent: { idempotencyKey, answer: kept } });
}

/** The record as it is found: without what went to the claim. */
function found({ idempotent: _idempotent, ...record }: UsageRecord): UsageRecord {
  return record;
}

/** Tests that every store of claims must pass, together with the store of records. */
export function idempotencyContract(stores: () => { readonly storage: Storage; readonly other: Storage }): void {
  test("a key is claimed once, by any process, and other claims fail", async () => {
    const { storage, other } = stores();
    const claim = exampleClaim();
    expect(await storage.idempotency.claim(claim)).toBeNull();
    const standing = { requestId: claim.requestId, bodyHash: claim.bodyHash, isFinished: false, answer: null };
    expect(await storage.idempotency.claim(again(claim))).toEqual(standing);
    expect(await other.idempotency.claim(again(claim, { bodyHash: "b" }))).toEqual(standing);
    expect(await other.idempotency.claim(again(claim, { keyId: "k987654321" }))).toBeNull();
  });

  test("of many that claim at once one succeeds", async () => {
    const { storage, other } = stores();
    const claim = exampleClaim();
    const claims = Array.from({ length: 40 }, () => again(claim));
    const outcomes = await Promise.all(
      claims.map((each, index) => (index % 2 === 0 ? storage : other).idempotency.claim(each)),
    );
    const winners = claims.filter((_, index) => outcomes[index] === null);
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes) if (outcome) expect(outcome.requestId).toBe(winners[0]?.requestId ?? "");
  });

  test("a released key is free again, and only its holder releases it", async () => {
    const { idempotency } = stores().storage;
    const claim = exampleClaim();
    await idempotency.claim(claim);
    await idempotency.release(again(claim));
    expect(await idempotency.claim(again(claim))).not.toBeNull();
    await idempotency.release(claim);
    expect(await idempotency.claim(again(claim, { bodyHash: "b" }))).toBeNull();
  });

  test("a lease that has run out is taken over, one that was renewed is not", async () => {
    const { idempotency } = stores().storage;
    const [dead, alive] = [exampleClaim(), exampleClaim()];
    for (const claim of [dead, alive]) await idempotency.claim(claim);
    const strangers = Array.from({ length: 2_500 }, () => exampleClaim());
    await idempotency.renew([alive, again(dead), ...strangers], dead.leaseUntil + 60_000);
    const later = { now: dead.leaseUntil };
    expect(await idempotency.claim(again(dead, { now: dead.leaseUntil - 1 }))).not.toBeNull();
    expect(await idempotency.claim(again(dead, later))).toBeNull();
    expect(await idempotency.claim(again(alive, later))).toMatchObject({ requestId: alive.requestId });
    expect(await idempotency.claim(again(alive, { now: dead.leaseUntil + 60_000 }))).toBeNull();
  });

  test("a record ends its claim with the answer, which only the same body is given", async () => {
    const { storage, other } = stores();
    const claim = exampleClaim();
    await storage.idempotency.claim(claim);
    const plain = exampleRecord();
    await insertRecords(storage.records, [plain, endOf(claim)]);
    expect(await storage.records.find(claim.keyId, claim.requestId)).toEqual(found(endOf(claim)));
    expect(await storage.records.find(plain.keyId, plain.id)).toEqual(plain);

    const standing = { requestId: claim.requestId, bodyHash: claim.bodyHash, isFinished: true };
    const muchLater = { now: claim.leaseUntil + 3_600_000 };
    expect(await other.idempotency.claim(again(claim, muchLater))).toEqual({ ...standing, answer });
    expect(await other.idempotency.claim(again(claim, { bodyHash: "b" }))).toEqual({ ...standing, answer: null });
    await storage.idempotency.release(claim);
    await storage.idempotency.renew([claim], 0);
    expect(await storage.idempotency.claim(again(claim, muchLater))).toEqual({ ...standing, answer });
  });

  test("an answer that is not kept ends its claim too", async () => {
    const { idempotency, records } = stores().storage;
    const claim = exampleClaim();
    await idempotency.claim(claim);
    await insertRecords(records, [endOf(claim, null)]);
    const muchLater = { now: claim.leaseUntil + 3_600_000 };
    expect(await idempotency.claim(again(claim, muchLater))).toMatchObject({ isFinished: true, answer: null });
  });

  test("a batch that is refused ends no claim", async () => {
    const { idempotency, records } = stores().storage;
    const claim = exampleClaim();
    await idempotency.claim(claim);
    const inserting = (async () => insertRecords(records, [endOf(claim), exampleRecord({ createdAt: Number.NaN })]))();
    await inserting.catch(() => undefined);
    expect(await records.find(claim.keyId, claim.requestId)).toBeNull();
    expect(await idempotency.claim(again(claim))).toMatchObject({ isFinished: false });
  });

  test("a request that has lost its key to another is not charged, and the other's answer stands", async () => {
    const { idempotency, records } = stores().storage;
    const [cutOff, plain] = [exampleClaim(), exampleClaim()];
    for (const claim of [cutOff, plain]) await idempotency.claim(claim);
    const heir = again(cutOff, { now: cutOff.leaseUntil });
    expect(await idempotency.claim(heir)).toBeNull();
    await insertRecords(records, [endOf(cutOff, { contentType: "text/plain", body: "late" }), endOf(plain)]);
    await insertRecords(records, [endOf(heir)]);

    const lost = await records.find(cutOff.keyId, cutOff.requestId);
    expect(lost).toEqual({
      ...found(endOf(cutOff)),
      billing: { status: "refunded", amountMicrousd: 0, pricingVersion: 3, lineItems: [] },
    });
    for (const claim of [heir, plain]) {
      expect(await records.find(claim.keyId, claim.requestId)).toEqual(found(endOf(claim)));
    }
    expect(await idempotency.claim(again(heir))).toMatchObject({ requestId: heir.requestId, answer });
  });

  test("a record that comes twice, as after a crash, stays as it was though its key is another's by now", async () => {
    const { idempotency, records } = stores().storage;
    const claim = exampleClaim();
    await idempotency.claim(claim);
    await insertRecords(records, [endOf(claim)]);
    await insertRecords(records, [endOf(claim), endOf(claim)]);
    expect(await idempotency.claim(again(claim, { aliveSince: claim.now + 1 }))).toBeNull();
    await insertRecords(records, [endOf(claim)]);
    expect(await records.find(claim.keyId, claim.requestId)).toEqual(found(endOf(claim)));
  });

  test("a record whose claim is gone altogether is charged", async () => {
    const { records } = stores().storage;
    const claim = exampleClaim();
    await insertRecords(records, [endOf(claim)]);
    expect(await records.find(claim.keyId, claim.requestId)).toEqual(found(endOf(claim)));
  });

  test("a claim is gone after its time, finished or not, and removed in batches", async () => {
    const { idempotency, records } = stores().storage;
    const old = Array.from({ length: 5 }, (_, index) => exampleClaim({ now: 1_000 + index, leaseUntil: 9e12 }));
    const alive = exampleClaim({ now: 2_000, leaseUntil: 9e12 });
    for (const claim of [...old, alive]) await idempotency.claim(claim);
    const [first, second] = old;
    if (!first || !second) throw new Error("There are five.");
    await insertRecords(records, [endOf(first)]);
    expect(await idempotency.claim(again(first, { aliveSince: 1_000 }))).toMatchObject({ answer });
    expect(await idempotency.claim(again(first, { now: 1_000, aliveSince: 1_001 }))).toBeNull();
    expect(await idempotency.claim(again(second, { now: 1_001, aliveSince: 1_002 }))).toBeNull();

    expect(await idempotency.deleteExpired(2_000, 3)).toBe(3);
    expect(await idempotency.deleteExpired(2_000, 3)).toBe(2);
    expect(await idempotency.deleteExpired(2_000, 3)).toBe(0);
    expect(await idempotency.claim(again(alive, { aliveSince: 0 }))).toMatchObject({ requestId: alive.requestId });
  });
}
