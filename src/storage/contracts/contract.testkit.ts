import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { ApiKey } from "../../access/key.ts";
import { failureOf } from "../../records/failure-of.testkit.ts";
import { arbitraryRecord } from "../../records/arbitrary-record.testkit.ts";
import { exampleRecord, insertRecords, nextRequestId } from "../../records/example-record.testkit.ts";
import { idempotencyContract } from "./idempotency-contract.testkit.ts";
import { outboxContract } from "./outbox-contract.testkit.ts";
import { openStorage } from "../open-storage.ts";
import { catalogContract } from "./catalog-contract.testkit.ts";
import { backendContract } from "./search-backend-contract.testkit.ts";
import { budgetContract } from "./budget-contract.testkit.ts";
import { fileContract } from "./file-contract.testkit.ts";
import { ledgerContract } from "./ledger-contract.testkit.ts";
import { responseContract } from "./response-contract.testkit.ts";
import { routeContract } from "./route-contract.testkit.ts";
import { videoContract } from "./video-contract.testkit.ts";
import { usageContract } from "./usage-contract.testkit.ts";
import type { PriceTable } from "../../billing/prices/price-table.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Storage } from "../storage.ts";
import { tester } from "../../changes/actor.testkit.ts";
import { auditContract } from "./audit-contract.testkit.ts";
import { bodyContract } from "./body-contract.testkit.ts";
import { changeContract } from "./change-contract.testkit.ts";

/** Tests that every storage must pass. `url` gives an empty database for each test. */
export function storageContract(name: string, url: () => string | Promise<string>): void {
  describe(name, () => {
    let storage: Storage;
    /** The same database, as another process has it. */
    let other: Storage;
    beforeAll(async () => {
      const address = await url();
      [storage, other] = await Promise.all([openStorage(address), openStorage(address)]);
    });
    afterAll(async () => {
      await Promise.all([storage.close(), other.close()]);
    });

    test("answers a ping", async () => {
      await storage.ping();
    });
    describe("keys", () => keyContract(() => ({ storage, other })));
    describe("price lists", () => priceContract(() => ({ storage, other })));
    describe("records", () => recordContract(() => storage));
    describe("responses", () => responseContract(() => storage.responses));
    describe("changes", () => changeContract(() => ({ storage, other })));
    describe("routes", () => routeContract(() => ({ store: storage.routes, other: other.routes })));
    describe("search backends", () => backendContract(() => ({ storage, other })));
    describe("providers and models", () => catalogContract(() => ({ storage, other })));
    describe("idempotency keys", () => idempotencyContract(() => ({ storage, other })));
    describe("outbox", () => outboxContract(() => ({ storage, other })));
    describe("accounts and ledger", () => ledgerContract(() => ({ storage, other })));
    describe("budgets", () => budgetContract(() => ({ storage, other })));
    describe("files", () => fileContract(() => ({ store: storage.files, other: other.files })));
    describe("video jobs", () => videoContract(() => ({ storage, other })));
    describe("usage", () => usageContract(() => storage));
    describe("bodies", () => bodyContract(() => ({ storage, other })));
    describe("audits", () => auditContract(() => ({ storage, other })));
  });
}

interface Pair {
  readonly storage: Storage;
  readonly other: Storage;
}

let lastKey = 0;
function exampleKey(change: Partial<ApiKey> = {}): ApiKey {
  lastKey += 1;
  return {
    id: `key${lastKey.toString().padStart(7, "0")}`,
    name: "laptop",
    secretHash: "a".repeat(64),
    previousSecretHash: null,
    previousExpiresAt: null,
    createdAt: 1_700_000_000_000 + lastKey,
    expiresAt: null,
    disabledAt: null,
    scopes: { models: ["gpt-5-mini", "b/*"], endpoints: null },
    limits: { requestsPerMinute: 60, tokensPerMinute: null, concurrentRequests: 4 },
    admin: false,
    accountId: "default",
    tags: {},
    ...change,
  };
}

function keyContract(stores: () => Pair): void {
  test("a key is returned unchanged, and an unknown id is null", async () => {
    const { keys } = stores().storage;
    const full = exampleKey({
      name: "Zoë's key",
      previousSecretHash: "b".repeat(64),
      previousExpiresAt: 1_800_000_000_000,
      expiresAt: 1_900_000_000_000,
      disabledAt: 1_850_000_000_000,
      scopes: {
        models: null,
        endpoints: ["chat"],
        domains: ["example.com"],
        ipRanges: ["192.0.2.0/24", "2001:db8::/32"],
      },
      limits: { requestsPerMinute: null, tokensPerMinute: 9_007_199_254_740_991, concurrentRequests: null },
      admin: true,
      accountId: "team-a",
      tags: { team: "search", env: "prod" },
    });
    const plain = exampleKey();
    await keys.insert(full, tester);
    await keys.insert(plain, tester);
    expect(await keys.find(full.id)).toEqual(full);
    expect(await keys.find(plain.id)).toEqual(plain);
    expect(await keys.find("unknown000")).toBeNull();
    expect((await keys.list()).filter((key) => key.id === full.id || key.id === plain.id)).toEqual([full, plain]);
  });

  test("a change sets the fields given and leaves the others", async () => {
    const { keys } = stores().storage;
    const key = exampleKey();
    await keys.insert(key, tester);
    expect(await keys.find(key.id)).toEqual(key);
    const change = { disabledAt: 5, scopes: { models: [], endpoints: ["chat"] } };
    expect(await keys.update(key.id, () => change, tester)).toEqual({ ...key, ...change });
    expect(await keys.find(key.id)).toEqual({ ...key, ...change });
    const tagged = { tags: { team: "ads" } };
    expect(await keys.update(key.id, () => tagged, tester)).toEqual({ ...key, ...change, ...tagged });
    expect(await keys.update(key.id, () => ({}), tester)).toEqual({ ...key, ...change, ...tagged });
    expect(await keys.update("unknown000", () => change, tester)).toBeNull();
  });

  test("an id is taken once", async () => {
    const { keys } = stores().storage;
    const key = exampleKey();
    await keys.insert(key, tester);
    expect(await failureOf(keys.insert({ ...key, name: "again" }, tester))).toBeInstanceOf(Error);
    expect(await keys.find(key.id)).toEqual(key);
  });

  test("a change and a new key by another process are seen", async () => {
    const { storage, other } = stores();
    const key = exampleKey();
    await other.keys.insert(key, tester);
    expect(await storage.keys.find(key.id)).toEqual(key);
    expect(await storage.keys.find(key.id)).toEqual(key);
    for (let round = 1; round <= 20; round += 1) {
      await other.keys.update(key.id, () => ({ disabledAt: round }), tester);
      await eventually(async () => (await storage.keys.find(key.id))?.disabledAt === round);
    }
  });
}

function priceContract(stores: () => Pair): void {
  const table: PriceTable = {
    source: "configuration",
    date: null,
    models: { "gpt-5-mini": { input: 250_000, tiers: [{ above_input_tokens: 200_000, input: 500_000 }] } },
    vendors: [],
  };
  const change = { configured: "a", imported: null, bundled: null, author: "configuration", note: "the first" };
  const origin = { action: "configure", by: { kind: "gateway" }, inForce: null } as const;

  test("a table stays as it was first kept", async () => {
    const { storage, other } = stores();
    expect(await storage.prices.findTable("a")).toBeNull();
    expect(await storage.prices.hasTable("a")).toBe(false);
    await storage.prices.keepTable("a", table);
    await other.prices.keepTable("a", { ...table, models: {} });
    expect((await other.prices.findTable("a"))?.table).toEqual(table);
    expect(await other.prices.hasTable("a")).toBe(true);
  });

  test("each change of prices is added once, and is seen by others", async () => {
    const { storage, other } = stores();
    expect(await storage.prices.newestSequence()).toBe(0);
    expect(await storage.prices.changes()).toEqual([]);
    const taken = await Promise.all([
      storage.prices.append({ ...change, sequence: 1, version: 1 }, origin),
      other.prices.append({ ...change, sequence: 1, version: 1 }, origin),
    ]);
    expect(new Set(taken)).toEqual(new Set([false, true]));
    expect(
      await other.prices.append({ ...change, sequence: 2, version: 2, imported: "b", author: "ann" }, origin),
    ).toBe(true);
    expect(await storage.prices.newestSequence()).toBe(2);
    expect(await storage.prices.changes()).toMatchObject([
      { ...change, sequence: 1, version: 1 },
      { sequence: 2, version: 2, imported: "b", author: "ann" },
    ]);
  });
}

function recordContract(stored: () => Storage): void {
  test("any record is returned unchanged", async () => {
    const { records } = stored();
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryRecord, { minLength: 1, maxLength: 5 }), async (batch) => {
        await insertRecords(records, batch);
        for (const record of batch) expect(await records.find(record.keyId, record.id)).toEqual(record);
      }),
      { numRuns: 40 },
    );
  });

  test("a record whose id is there stays as it was, in another batch and in the same", async () => {
    const { records } = stored();
    const first = exampleRecord();
    const second = exampleRecord();
    await insertRecords(records, [first, second, { ...second, model: "changed" }]);
    await insertRecords(records, [{ ...first, model: "changed" }, exampleRecord({ id: `${first.id}x` })]);
    expect(await records.find(first.keyId, first.id)).toEqual(first);
    expect(await records.find(second.keyId, second.id)).toEqual(second);
    expect(await records.find(first.keyId, `${first.id}x`)).not.toBeNull();
  });

  test("an empty batch only tests the connection", async () => {
    await insertRecords(stored().records, []);
  });

  test("another key's record is not found by either id", async () => {
    const { records } = stored();
    const record = exampleRecord({ keyId: "owner00000", responseId: "chatcmpl-private" });
    await insertRecords(records, [record]);
    expect(await records.find("stranger00", record.id)).toBeNull();
    expect(await records.find("stranger00", "chatcmpl-private")).toBeNull();
    expect(await records.find("owner00000", "chatcmpl-private")).toEqual(record);
  });

  test("an operator finds the record of any key, by request id", async () => {
    const { records } = stored();
    const record = exampleRecord({ responseId: "chatcmpl-anyones" });
    await insertRecords(records, [record]);
    expect(await records.findAnyones(record.id)).toEqual(record);
    expect(await records.findAnyones("chatcmpl-anyones")).toBeNull();
    expect(await records.findAnyones("req_unknown")).toBeNull();
  });

  test("a response id finds the key's newest record", async () => {
    const { records } = stored();
    const responseId = "chatcmpl-always-the-same";
    const [first, second, others] = [
      exampleRecord({ responseId }),
      exampleRecord({ responseId }),
      exampleRecord({ responseId, keyId: "other00000" }),
    ];
    await insertRecords(records, [first, second, others]);
    expect(await records.find(first.keyId, responseId)).toEqual(second);
    expect(await records.find(first.keyId, `${responseId}x`)).toBeNull();
  });

  test("text that a database would refuse is repaired, and its record is found by it", async () => {
    const { records } = stored();
    const hostile = exampleRecord({ model: "a\0b\ud800", responseId: `\0${"x".repeat(100_000)}` });
    await insertRecords(records, [hostile]);
    expect((await records.find(hostile.keyId, hostile.id))?.model).toBe("a\ufffdb\ufffd");
    expect((await records.find(hostile.keyId, `\0${"x".repeat(100_000)}`))?.id).toBe(hostile.id);
  });

  test("raw fields that cannot be written are left out, and the charge is kept", async () => {
    const { records } = stored();
    const circular: Record<string, unknown> = {};
    circular["itself"] = circular;
    const record = exampleRecord({ providerUsage: { family: "openai-chat", rawFields: circular } });
    await insertRecords(records, [record]);
    expect(await records.find(record.keyId, record.id)).toEqual({
      ...record,
      providerUsage: { family: "openai-chat", rawFields: {}, omitted: true },
    });
  });

  test("a pending record is replaced once by a final one, and a final one never changes", async () => {
    const { records } = stored();
    const pending = exampleRecord({ status: "pending", responseId: null });
    await insertRecords(records, [pending]);
    await insertRecords(records, [{ ...pending, model: "changed" }]);
    expect(await records.find(pending.keyId, pending.id)).toEqual(pending);
    const final: UsageRecord = { ...pending, status: "succeeded", responseId: `chatcmpl-of-${pending.id}` };
    await insertRecords(records, [final]);
    for (const late of [pending, { ...final, status: "failed" }, { ...pending, model: "changed" }] as const) {
      await insertRecords(records, [late]);
      expect(await records.find(pending.keyId, pending.id)).toEqual(final);
    }
    expect(await records.find(pending.keyId, `chatcmpl-of-${pending.id}`)).toEqual(final);
  });

  test("pending and final of one record in one batch, in either order, leave the final one", async () => {
    const { records } = stored();
    const [first, second] = [exampleRecord(), exampleRecord()];
    const pending = (record: UsageRecord): UsageRecord => ({ ...record, status: "pending", responseId: null });
    await insertRecords(records, [pending(first), first, second, pending(second), { ...second, model: "changed" }]);
    for (const record of [first, second]) {
      expect(await records.find(record.keyId, record.id)).toEqual(record);
      expect(await records.findAnyones(record.id)).toEqual(record);
    }
  });

  test("a batch with an impossible record is refused as a whole, as the record's fault", async () => {
    const { records } = stored();
    const good = exampleRecord();
    const impossible = { ...exampleRecord({ id: nextRequestId() }), createdAt: Number.NaN };
    const inserting = (async () => insertRecords(records, [good, impossible]))();
    expect(await failureOf(inserting)).toMatchObject({ name: "RecordRejected" });
    expect(await records.find(good.keyId, good.id)).toBeNull();
    await insertRecords(records, [good]);
    expect(await records.find(good.keyId, good.id)).toEqual(good);
  });
}

/** Postgres notifies of a change a moment after its commit. */
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error("The condition did not come true within 5 s.");
    await Bun.sleep(2);
  }
}
