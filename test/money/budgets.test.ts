import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Budget } from "../../src/billing/budgets/budget.ts";
import { exampleBudget } from "../../src/billing/budgets/example-budget.testkit.ts";
import { setBudget } from "../../src/billing/budgets/set-budget.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { until } from "../until.testkit.ts";
import { createPayer, expectSoundBook, type Payer } from "./payer.testkit.ts";

/** What callers see of budgets: refusals, warnings and their account. */

const targets = [{ provider: "sandbox", model: "sandbox-chat" }];
const model = { targets, contextLength: 100_000, maxOutputTokens: 1_000 } as const;
/** 10 micro-USD for a token of output; a hold allows for rounding. */
const prices = { input: 0, output: 10_000_000 };
const rounding = 6;

let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      { ...model, id: "exact", prices },
      { ...model, id: "other", prices },
      { ...model, id: "free", prices: { input: 0, output: 0 } },
      { ...model, id: "unpriced", prices: null },
    ],
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

const tokens = (output: number) => ({ sandbox: { text: "Hello.", tokens: { input: 5, output } } });
const ask = (by: Payer, output: number, body: object = {}) =>
  by.post("/v1/chat/completions", {
    model: "exact",
    max_tokens: 100,
    messages: [{ role: "user", content: "Hello!" }],
    ...tokens(output),
    ...body,
  });

/** Sets a budget, and waits until the gateway knows it. */
async function set(wish: Partial<Budget>): Promise<Budget> {
  const budget = await setBudget(storage.budgets, exampleBudget(wish), Date.now(), tester);
  await until("the gateway knows the budget", async () => {
    const { budgets } = await (await createPayerOf(budget)).account();
    return (budgets as { id: string }[]).some(({ id }) => id === budget.id);
  });
  return budget;
}

/** Anyone whom the budget concerns. */
let payers: Payer[] = [];
const createPayerOf = async ({ accountId }: Budget): Promise<Payer> => {
  const found = payers.find(({ id }) => id === accountId);
  if (found === undefined) throw new Error("The budget is of no payer.");
  return found;
};

async function payer(balance: number | null = null): Promise<Payer> {
  const one = await createPayer(gateway, storage, balance ?? 0, { mode: balance === null ? "unlimited" : "prepaid" });
  payers = [...payers, one];
  return one;
}

describe("a hard budget", () => {
  test("refuses what it does not cover: told which, what is left and when it resets", async () => {
    const one = await payer();
    expect((await ask(one, 50)).status).toBe(200);
    const budget = await set({ accountId: one.id, amountMicrousd: 2_000, per: "day", timeZone: "Asia/Tokyo" });
    const served = await ask(one, 90);
    expect([served.status, served.record.billing]).toMatchObject([200, { amount_microusd: 900, held_microusd: 1_006 }]);
    const calls = gateway.sandbox.requests.length;
    const { status, text, record } = await ask(one, 50);
    expect(status).toBe(402);
    expect(JSON.parse(text)).toMatchObject({ error: { type: "insufficient_balance", code: "budget_exceeded" } });
    const message =
      `The budget ${budget.id} (0.002 USD per day (Asia/Tokyo) for the account ${one.id}) does not cover this request: ` +
      "0.0006 USD left, 0.001006 USD needed. It resets at ";
    expect(text).toContain(message);
    expect(text).toMatch(/It resets at \d{4}-\d\d-\d\dT15:00:00\.000Z\./);
    expect(gateway.sandbox.requests.length).toBe(calls);
    expect(record).toMatchObject({ status: "refused", billing: { amount_microusd: 0, held_microusd: 0 } });
    // A smaller request fits.
    expect((await ask(one, 50, { max_tokens: 50 })).status).toBe(200);
    await until("the charges are counted", async () => {
      const { budgets } = await one.account();
      return Bun.deepMatch([{ spent_microusd: 500 + 900 + 500, held_microusd: 0 }], budgets);
    });
    expect((await one.account()).budgets).toEqual([
      {
        id: budget.id,
        scope: { account: one.id },
        amount_microusd: 2_000,
        spent_microusd: 1_900,
        held_microusd: 0,
        per: "day",
        kind: "hard",
        resets_at: expect.any(Number),
      },
    ]);
  });

  test("covers no more than its amount, whatever the provider reports", async () => {
    const one = await payer();
    await set({ accountId: one.id, amountMicrousd: 1_000 + rounding });
    const { record } = await ask(one, 70_000);
    expect(record.billing).toMatchObject({ amount_microusd: 1_000, held_microusd: 1_006, suspect: true });
    expect((await ask(one, 1)).text).toContain("It does not reset.");
  });

  test("gives back at once what a request did not use, and all of it if the request failed", async () => {
    const one = await payer();
    await set({ accountId: one.id, amountMicrousd: 1_000 + rounding });
    expect((await ask(one, 0, { sandbox: { fault: { kind: "status", status: 500 } } })).status).toBe(502);
    expect((await ask(one, 30)).status).toBe(200);
    expect((await ask(one, 70, { max_tokens: 70 })).status).toBe(200);
    expect((await ask(one, 1, { max_tokens: 1 })).status).toBe(402);
  });

  test("of a model leaves others alone", async () => {
    const one = await payer();
    await set({ accountId: one.id, model: "exact", amountMicrousd: 0 });
    expect([(await ask(one, 1)).status, (await ask(one, 1, { model: "other" })).status]).toEqual([402, 200]);
  });

  test("for each key has its amount for each of them", async () => {
    const one = await payer();
    await set({ accountId: one.id, each: "key", amountMicrousd: 1_000 + rounding });
    const second = await gateway.newKey({ accountId: one.id });
    const by = { headers: { authorization: `Bearer ${second.key}` } };
    expect([(await ask(one, 100)).status, (await ask(one, 1)).status]).toEqual([200, 402]);
    const body = { model: "exact", max_tokens: 100, ...tokens(1) };
    expect((await gateway.chat(body, by)).status).toBe(200);
  });

  test("of 0 blocks everything, at models that cost nothing too", async () => {
    const one = await payer();
    await set({ accountId: one.id, amountMicrousd: 0, per: "month" });
    expect([(await ask(one, 1)).status, (await ask(one, 1, { model: "free" })).status]).toEqual([402, 402]);
  });

  test("refuses what has no bound, and what a model costs nothing is served without one", async () => {
    const one = await payer();
    await set({ accountId: one.id });
    const unpriced = await ask(one, 1, { model: "unpriced" });
    expect([unpriced.status, unpriced.text]).toEqual([402, expect.stringContaining("'unpriced' has no prices")]);
    expect((await ask(one, 1, { model: "free" })).status).toBe(200);
  });

  test("of a prepaid account holds with its balance, and a refusal by either leaves nothing held", async () => {
    const one = await payer(1_500);
    const budget = await set({ accountId: one.id, amountMicrousd: 1_000 });
    expect((await ask(one, 1)).text).toContain("budget_exceeded");
    expect(await one.account()).toMatchObject({ balance_microusd: 1_500, held_microusd: 0 });
    await storage.budgets.remove(budget.id, tester);
    await set({ accountId: one.id, amountMicrousd: 10_000 });
    expect((await ask(one, 100)).status).toBe(200);
    expect((await ask(one, 1)).text).toContain("insufficient_balance");
    await until("the charge is counted", async () => {
      return Bun.deepMatch([{ spent_microusd: 1_000, held_microusd: 0 }], (await one.account()).budgets);
    });
  });
});

describe("a soft budget", () => {
  test("holds nothing, and warns once it is spent", async () => {
    const one = await payer();
    await set({ accountId: one.id, kind: "soft", amountMicrousd: 400 });
    const first = await ask(one, 40);
    expect([first.status, first.warnings, first.record.billing.held_microusd]).toEqual([200, null, 0]);
    let warned = await ask(one, 1);
    await until("the warning", async () => (warned = await ask(one, 1)).warnings !== null);
    expect([warned.status, warned.warnings]).toEqual([200, "budget"]);
    const log = gateway.log.find(({ message }) => message === "a soft budget is spent");
    expect(log).toMatchObject({ level: "warn", fields: { account: one.id } });
  });
});

test("the book adds up", () => expectSoundBook(storage));
