import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { anyDocument, anyFacts } from "../../src/billing/prices/arbitrary-prices.testkit.ts";
import { buildPrices } from "../../src/billing/prices/build-prices.ts";
import { charge, pendingCharge, refundedCharge } from "../../src/billing/charge.ts";
import { createHolds } from "../../src/billing/holds/holds.ts";
import { BalanceHold } from "../../src/billing/holds/lease.ts";
import type { Charge, ModelPrices } from "../../src/billing/prices/prices.ts";
import { settledCharge } from "../../src/billing/settled-charge.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { dimensionNames, listDimensions, unitOf } from "../../src/dimensions.ts";
import type { ExpectedUsage } from "../../src/metering/expected-usage.ts";
import { costBound } from "../../src/pipeline/balance/cost-bound.ts";
import { boundedUsage } from "../../src/pipeline/balance/usage-bounds.ts";
import { exampleRecord, insertRecords } from "../../src/records/example-record.testkit.ts";
import type { RecordStatus, UsageRecord } from "../../src/records/record.ts";
import { exampleCandidate, simulatedClock } from "../../src/routing/choice/candidate.testkit.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import type { Storage } from "../../src/storage/storage.ts";

/** Requests of a prepaid account at random prices, with whatever usage is reported, through holds, leases and the storage. */

const tokenNames = dimensionNames.filter((name) => unitOf(name) === "token");
const reported = fc.dictionary(fc.constantFrom(...tokenNames), fc.oneof(fc.nat(3_000), fc.nat(1_000_000_000)));
const ending = fc.constantFrom<RecordStatus>("succeeded", "cancelled", "failed", "pending");

const event = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("credit" as const), amount: fc.nat(2_000_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("debit" as const), amount: fc.nat(500_000) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("request" as const),
      read: fc.nat(2_000),
      maxTokens: fc.integer({ min: 1, max: 2_000 }),
      reported,
      facts: anyFacts,
      ending,
      /** How many requests run before this one ends. */
      delay: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("end of a job" as const), job: fc.nat(4), reported }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("prices" as const), document: anyDocument }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("replay" as const), record: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("heartbeat" as const) }) },
);

const model = exampleCandidate(simulatedClock(), "m", { model: { maxOutputTokens: 1_500, contextLength: 4_000 } });
let accounts = 0;
let entries = 0;

/** What a request is charged by: fixed when something was held for it. */
interface Terms {
  readonly prices: ModelPrices;
  readonly version: number;
  readonly usage: ExpectedUsage;
  readonly markupBasisPoints: number;
  readonly heldMicrousd: number;
}

function chargeOf(terms: Terms, quantities: Parameters<typeof listDimensions>[0], facts: Parameters<typeof charge>[3]) {
  const { prices, version, usage, markupBasisPoints, heldMicrousd } = terms;
  const given = {
    dimensions: listDimensions(quantities),
    measurement: { input: "provider", output: "provider" },
  } as const;
  // That there is a hold is all that matters of it here.
  const funding = { heldMicrousd: heldMicrousd === 0 ? null : heldMicrousd, maxOutputTokens: null };
  const asked = { maxOutputTokens: usage.writes?.maxTokens ?? undefined, expectedUsage: () => usage };
  const possible = boundedUsage(given, asked, model.model, funding);
  const charged = charge(possible, prices, version, facts);
  return { usage: possible, billing: settledCharge(charged, { markupBasisPoints, heldMicrousd }) };
}

async function play(
  storage: Storage,
  first: Parameters<typeof buildPrices>[0],
  markupBasisPoints: number,
  events: readonly (typeof event extends fc.Arbitrary<infer Event> ? Event : never)[],
) {
  const accountId = `account-${(accounts += 1)}`;
  await storage.accounts.create({ id: accountId, name: "a", mode: "prepaid", markupBasisPoints, createdAt: 1 }, tester);
  const clock = simulatedClock();
  const quick = { patienceMs: 0, retryMs: 0 };
  const open = () =>
    createHolds({ store: storage.leases, clock, steady: clock, log: { warn() {} }, recover: () => true, times: quick });
  let holds = open();
  const dead: (typeof holds)[] = [];
  let prices = buildPrices({ output: 0, ...first });
  let version = 1;
  let credited = 0;
  const written: UsageRecord[] = [];
  const jobs: { readonly record: UsageRecord; readonly terms: Terms }[] = [];
  const running: { delay: number; end(): Promise<void> }[] = [];
  const keep = async (record: UsageRecord) => {
    written.push(record);
    await insertRecords(storage.records, [record]);
  };
  const post = async (kind: "credit" | "adjustment", amountMicrousd: number) => {
    const entry = {
      id: `ent_${(entries += 1)}`,
      accountId,
      createdAt: 1,
      idempotencyKey: null,
      note: null,
      by: tester,
    };
    const posted = await storage.accounts.post({ ...entry, kind, amountMicrousd });
    if (posted.kind === "made") credited += amountMicrousd;
  };
  const sound = async () => {
    const balance = await storage.accounts.balance(accountId);
    if (balance === null) throw new Error("The account is gone.");
    expect(balance.leasedMicrousd).toBeGreaterThanOrEqual(0);
    expect(balance.balanceMicrousd).toBeGreaterThanOrEqual(balance.leasedMicrousd + balance.durablyHeldMicrousd);
    return balance.balanceMicrousd;
  };

  await post("credit", 1_000_000);
  for (const each of events) {
    if (each.kind === "credit") await post("credit", each.amount);
    else if (each.kind === "debit") await post("adjustment", -each.amount);
    else if (each.kind === "prices") {
      prices = buildPrices({ output: 0, ...each.document });
      version += 1;
    } else if (each.kind === "heartbeat") {
      clock.advance(10_000);
      await holds.heartbeat();
    } else if (each.kind === "crash") {
      // What ran is lost with its process, whose lease expires.
      running.length = 0;
      dead.push(holds);
      clock.advance(31_000);
      holds = open();
      for (let beats = 0; beats < 2; beats += 1) await holds.heartbeat();
    } else if (each.kind === "replay") {
      const record = written[each.record];
      if (record) await insertRecords(storage.records, [record, record]);
    } else if (each.kind === "end of a job") {
      const [job] = jobs.splice(each.job, 1);
      if (job) {
        const facts = { at: 0, serviceTier: null, providerCost: null };
        const { usage, billing } = chargeOf(job.terms, each.reported, facts);
        const { leaseId: _leaseId, ...record } = job.record;
        await keep({ ...record, status: "succeeded", usage, billing });
      }
    } else if (each.kind === "request") {
      const usage: ExpectedUsage = {
        expected: { input: each.read },
        max: () => ({ input: each.read }),
        writes: { answers: 1, maxTokens: each.maxTokens },
      };
      const atNow = prices;
      const bound = costBound({
        candidates: [model],
        usage,
        prices: { pricesOf: () => atNow },
        markupBasisPoints,
      });
      if ("lacks" in bound) throw new Error(bound.lacks);
      const { maxMicrousd } = bound;
      const held = maxMicrousd === 0 ? null : await holds.hold(accountId, { maxMicrousd, minMicrousd: maxMicrousd });
      if (held !== null && !(held instanceof BalanceHold)) {
        expect(held.availableMicrousd).toBeLessThan(maxMicrousd);
        continue;
      }
      const terms = { prices, version, usage, markupBasisPoints, heldMicrousd: held?.amountMicrousd ?? 0 };
      const leaseId = held?.leaseId;
      const base = exampleRecord({
        accountId,
        heldMicrousd: terms.heldMicrousd,
        ...(leaseId !== undefined && { leaseId }),
      });
      running.push({
        delay: each.delay,
        async end() {
          const final = chargeOf(terms, each.reported, each.facts);
          const nothing = { dimensions: [], measurement: { input: "unavailable", output: "unavailable" } } as const;
          const ended: Readonly<Record<RecordStatus, { usage: UsageRecord["usage"]; billing: Charge }>> = {
            succeeded: final,
            cancelled: final,
            failed: { usage: final.usage, billing: refundedCharge(terms.version) },
            refused: { usage: nothing, billing: refundedCharge(terms.version) },
            pending: { usage: nothing, billing: pendingCharge(terms.version) },
          };
          const record = { ...base, status: each.ending, ...ended[each.ending] };
          if (each.ending === "pending") jobs.push({ record, terms });
          await keep(record);
          held?.settle(each.ending === "pending" ? record.heldMicrousd : record.billing.amountMicrousd);
        },
      });
    }
    for (const one of running) one.delay -= 1;
    for (const one of running.filter(({ delay }) => delay < 0)) {
      running.splice(running.indexOf(one), 1);
      await one.end();
    }
    await sound();
  }
  for (const each of [holds, ...dead]) await each.stop();
  const finals = new Map(written.filter(({ status }) => status !== "pending").map((record) => [record.id, record]));
  const charges = [...finals.values()].reduce((sum, { billing }) => sum + billing.amountMicrousd, 0);
  expect(await sound()).toBe(credited - charges);
}

async function check(url: string, numRuns: number): Promise<void> {
  const storage = await openStorage(url);
  try {
    await fc.assert(
      fc.asyncProperty(
        anyDocument,
        fc.integer({ min: -10_000, max: 20_000 }),
        fc.array(event, { maxLength: 30 }),
        (first, markup, events) => play(storage, first, markup, events),
      ),
      { numRuns },
    );
    const found: unknown[] = [];
    await storage.auditor.audit((finding) => found.push(finding));
    expect(found).toEqual([]);
  } finally {
    await storage.close();
  }
}

describe("whatever the prices, the usage and the order of events, the books balance and no balance is below zero", () => {
  test("on SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-books-"));
    try {
      await check(`sqlite:${join(folder, "tollgate.db")}`, 150);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);

  describe("on Postgres", () => {
    let database: Awaited<ReturnType<typeof createTestDatabase>>;
    beforeAll(async () => {
      database = await createTestDatabase();
    }, 120_000);
    afterAll(() => database.drop());

    test("the same", () => check(database.url, 25), 120_000);
  });
});
