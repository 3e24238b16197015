import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { tagsToText } from "../../attribution/attribution.ts";
import type { Finding } from "../../billing/audit.ts";
import { type Budget, budgetSubjects, subjectOf } from "../../billing/budgets/budget.ts";
import { endless, periodAt } from "../../billing/budgets/budget-period.ts";
import type { BudgetHoldRequest } from "../../billing/budgets/budget-store.ts";
import { exampleBudget } from "../../billing/budgets/example-budget.testkit.ts";
import { tester } from "../../changes/actor.testkit.ts";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Storage } from "../storage.ts";

const now = 1_700_000_000_000;
const always = [{ startsAt: 0, endsAt: endless }];
let last = 0;
const unique = (prefix: string) => `${prefix}-${(last += 1)}`;

/** An account of its own, so that the budgets of one test do not see the records of another. */
async function newAccount({ accounts }: Storage): Promise<string> {
  const id = unique("spender");
  await accounts.create({ id, name: id, mode: "unlimited", markupBasisPoints: 0, createdAt: now }, tester);
  return id;
}

function charged(accountId: string, amount: number, change: Partial<UsageRecord> = {}): UsageRecord {
  const line = { dimension: "input", quantity: amount, unit: "1M_tokens", unitSize: 1, unitMicrousd: 1 } as const;
  const lineItems = amount === 0 ? [] : [{ ...line, amountMicrousd: amount }];
  const status = amount === 0 ? "refunded" : "charged";
  return exampleRecord({
    accountId,
    billing: { status, amountMicrousd: amount, pricingVersion: 3, lineItems },
    ...change,
  });
}

const attributed = (tags: Record<string, string>, endUser: string | null, session: string | null) => {
  return { attribution: { tags: tagsToText(tags), endUser, session } };
};

const counterOf = ({ budgets }: Storage, { id }: Budget, subject = "", startsAt = 0) =>
  budgets.counter({ budgetId: id, startsAt, subject });

function holdOf({ id, amountMicrousd }: Budget, change: Partial<BudgetHoldRequest> = {}): BudgetHoldRequest {
  return {
    budgetId: id,
    startsAt: 0,
    subject: "",
    requestId: unique("req_hold"),
    amountMicrousd: 10,
    limitMicrousd: amountMicrousd,
    process: "p",
    expiresAt: now + 30_000,
    ...change,
  };
}

async function findings(storage: Storage, budgets: readonly Budget[]): Promise<Finding[]> {
  const found: Finding[] = [];
  await storage.auditor.audit((finding) => {
    if (budgets.some(({ id }) => id === finding.subject)) found.push(finding);
  });
  return found;
}

/** What every storage must do with budgets. */
export function budgetContract(stores: () => { readonly storage: Storage; readonly other: Storage }): void {
  test("a budget counts what was spent before and after it was set, once, however often a record is written", async () => {
    const { storage, other } = stores();
    const accountId = await newAccount(storage);
    const before = [charged(accountId, 5), charged(await newAccount(storage), 100)];
    await insertRecords(storage.records, before);
    const version = await other.budgets.version();
    const budget = exampleBudget({ accountId, notify: [80, 100], tag: null });
    await storage.budgets.set(budget, always, tester);
    expect(await other.budgets.version()).not.toBe(version);
    expect((await other.budgets.list()).find(({ id }) => id === budget.id)).toEqual(budget);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 5, heldMicrousd: 0 });
    const after = [charged(accountId, 7), charged(accountId, 0, { status: "failed" }), charged(accountId, 8)];
    for (let times = 0; times < 2; times += 1) await insertRecords(other.records, [...before, ...after, ...after]);
    expect(await counterOf(other, budget)).toMatchObject({ spentMicrousd: 20 });
    expect(await findings(storage, [budget])).toEqual([]);
    expect(await other.budgets.remove(budget.id, tester)).toBe(true);
    expect(await other.budgets.remove(budget.id, tester)).toBe(false);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 0 });
  });

  test("a budget that is set while records are written counts each of them once", async () => {
    const { storage, other } = stores();
    const accountId = await newAccount(storage);
    const budget = exampleBudget({ accountId });
    const writing = Array.from({ length: 60 }, async (_, index) => {
      await Bun.sleep(index % 10);
      await insertRecords((index % 2 === 0 ? storage : other).records, [charged(accountId, 3), charged(accountId, 4)]);
    });
    await Bun.sleep(3);
    await other.budgets.set(budget, always, tester);
    await Promise.all(writing);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 60 * 7 });
    expect(await findings(storage, [budget])).toEqual([]);
  });

  test("the database counts for the same budgets and subjects as the gateway holds for", async () => {
    const { storage } = stores();
    const text = fc.constantFrom("a", "b", 'a"b', "team", '"team":"a"', "x\\y");
    const maybe = fc.option(text);
    const tags = fc.dictionary(fc.constantFrom("team", "env", "a"), text, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          model: fc.option(fc.constantFrom("a", "gpt-5-mini")),
          tag: fc.option(fc.record({ name: fc.constantFrom("team", "env"), value: text })),
          endUser: maybe,
          session: maybe,
          keyId: fc.option(fc.constantFrom("k1", "k2")),
          each: fc.option(fc.constantFrom(...budgetSubjects)),
        }),
        fc.array(
          fc.record({
            tags,
            endUser: maybe,
            session: maybe,
            keyId: fc.constantFrom("k1", "k2"),
            servedBy: fc.option(fc.constantFrom("a", "gpt-5-mini", "b")),
          }),
          {
            maxLength: 8,
          },
        ),
        async (selector, requests) => {
          const accountId = await newAccount(storage);
          const budget = exampleBudget({ ...selector, accountId });
          const records = requests.map(({ keyId, servedBy: resolvedModel, ...whose }, index) => {
            const routing = { ...exampleRecord().routing, resolvedModel };
            const attribution = attributed(whose.tags, whose.endUser, whose.session);
            return charged(accountId, 1 + index, { keyId, routing, ...attribution });
          });
          const half = Math.floor(records.length / 2);
          await insertRecords(storage.records, records.slice(0, half));
          await storage.budgets.set(budget, always, tester);
          await insertRecords(storage.records, records.slice(half));
          const due = new Map<string, number>();
          for (const { billing, keyId, model, routing, attribution } of records) {
            const servedBy = routing.resolvedModel === null ? [] : [routing.resolvedModel];
            const subject = subjectOf(budget, { accountId, keyId, model, servedBy, ...attribution });
            if (subject !== null) due.set(subject, (due.get(subject) ?? 0) + billing.amountMicrousd);
          }
          for (const [subject, spentMicrousd] of due) {
            expect(await counterOf(storage, budget, subject)).toMatchObject({ spentMicrousd });
          }
          if (budget.each === null && due.size === 0) {
            expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 0 });
          }
          expect(await findings(storage, [budget])).toEqual([]);
          await storage.budgets.remove(budget.id, tester);
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);

  test("a request counts in the period in which it began", async () => {
    const { storage } = stores();
    const accountId = await newAccount(storage);
    const budget = exampleBudget({ accountId, per: "day", timeZone: "Asia/Tokyo" });
    const today = periodAt(budget, now);
    const tomorrow = periodAt(budget, today.endsAt);
    await storage.budgets.set(budget, [today], tester);
    const both = [today, tomorrow].map((period) => ({ budgetId: budget.id, ...period }));
    await storage.budgets.addPeriods(both);
    const at = (createdAt: number, amount: number) => charged(accountId, amount, { createdAt });
    await insertRecords(storage.records, [at(today.startsAt - 1, 1), at(today.startsAt, 2), at(today.endsAt - 1, 4)]);
    await insertRecords(storage.records, [at(tomorrow.startsAt, 8), at(tomorrow.endsAt, 16)]);
    expect(await counterOf(storage, budget, "", today.startsAt)).toMatchObject({ spentMicrousd: 6 });
    expect(await counterOf(storage, budget, "", tomorrow.startsAt)).toMatchObject({ spentMicrousd: 8 });
    const shown = (await storage.budgets.counters(today.startsAt)).filter(({ budgetId }) => budgetId === budget.id);
    expect(shown.map(({ spentMicrousd }) => spentMicrousd)).toEqual([6]);
    expect(await findings(storage, [budget])).toEqual([]);
  });

  test("a period that is added after its requests counts them, once", async () => {
    const { storage, other } = stores();
    const accountId = await newAccount(storage);
    const budget = exampleBudget({ accountId, per: "day", amountMicrousd: 20 });
    const today = periodAt(budget, now);
    const before = periodAt(budget, today.startsAt - 1);
    await storage.budgets.set(budget, [today], tester);
    const late = charged(accountId, 5, { createdAt: before.startsAt });
    await insertRecords(storage.records, [late, charged(accountId, 2, { createdAt: now })]);
    await storage.budgets.hold(holdOf(budget, { startsAt: before.startsAt, amountMicrousd: 4 }));
    for (const { budgets } of [storage, other]) await budgets.addPeriods([{ budgetId: budget.id, ...before }]);
    await insertRecords(storage.records, [late]);
    const counted = { spentMicrousd: 5, heldMicrousd: 4 };
    expect(await counterOf(storage, budget, "", before.startsAt)).toMatchObject(counted);
    expect(await findings(storage, [budget])).toEqual([]);
    await storage.budgets.addPeriods([{ budgetId: "bud_unknown", ...before }]);
  });

  test("holds never exceed what is left, whatever two processes ask for at once", async () => {
    const { storage, other } = stores();
    const accountId = await newAccount(storage);
    const budget = exampleBudget({ accountId, amountMicrousd: 105 });
    await storage.budgets.set(budget, always, tester);
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? storage : other).budgets.hold(holdOf(budget))),
    );
    expect(results.filter((result) => result === null)).toHaveLength(10);
    const refused = results.find((result) => result !== null);
    expect(refused).toMatchObject({ spentMicrousd: 0, heldMicrousd: expect.any(Number) });
    expect(await counterOf(storage, budget)).toMatchObject({ heldMicrousd: 100 });
    expect(await findings(storage, [budget])).toEqual([]);
  });

  test("a hold is replaced by the charge, and ends with a request that is not charged", async () => {
    const { storage } = stores();
    const accountId = await newAccount(storage);
    const budget = exampleBudget({ accountId, amountMicrousd: 100 });
    await storage.budgets.set(budget, always, tester);
    const [one, two, three] = [
      charged(accountId, 6, { heldMicrousd: 40 }),
      charged(accountId, 0, { heldMicrousd: 40, status: "failed" }),
      charged(accountId, 9),
    ];
    const hold = (record: UsageRecord, amountMicrousd: number) =>
      storage.budgets.hold(holdOf(budget, { requestId: record.id, amountMicrousd }));
    expect([await hold(one, 40), await hold(two, 40), await hold(three, 20)]).toEqual([null, null, null]);
    await storage.budgets.reduce(one.id, 6);
    await storage.budgets.reduce(one.id, 50);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 0, heldMicrousd: 66 });
    await insertRecords(storage.records, [one, two, one]);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 6, heldMicrousd: 20 });
    await storage.budgets.end(three.id);
    await storage.budgets.end(three.id);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 6, heldMicrousd: 0 });
    expect(await findings(storage, [budget])).toEqual([]);
  });

  test("holds of dead processes expire, those of living ones and of jobs do not", async () => {
    const { storage } = stores();
    const accountId = await newAccount(storage);
    const budget = exampleBudget({ accountId });
    await storage.budgets.set(budget, always, tester);
    const living = unique("process");
    const job = charged(accountId, 7, { heldMicrousd: 30 });
    await storage.budgets.hold(holdOf(budget, { process: unique("dead"), amountMicrousd: 1 }));
    await storage.budgets.hold(holdOf(budget, { process: living, amountMicrousd: 2 }));
    await storage.budgets.hold(holdOf(budget, { process: unique("dead"), amountMicrousd: 30, requestId: job.id }));
    await storage.budgets.keep(job.id);
    await storage.budgets.endExpired(now + 29_999);
    await storage.budgets.renew(living, now + 59_999);
    expect(await counterOf(storage, budget)).toMatchObject({ heldMicrousd: 33 });
    expect(await storage.budgets.hasExpired(now + 30_000)).toBe(true);
    await storage.budgets.endExpired(now + 30_000);
    expect(await storage.budgets.hasExpired(now + 30_000)).toBe(false);
    expect(await counterOf(storage, budget)).toMatchObject({ heldMicrousd: 32 });
    const pending = { ...job.billing, status: "pending", amountMicrousd: 0, lineItems: [] } as const;
    await insertRecords(storage.records, [{ ...job, status: "pending", responseId: null, billing: pending }]);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 0, heldMicrousd: 32 });
    await insertRecords(storage.records, [job, job]);
    expect(await counterOf(storage, budget)).toMatchObject({ spentMicrousd: 7, heldMicrousd: 2 });
    expect(await findings(storage, [budget])).toEqual([]);
  });
}
