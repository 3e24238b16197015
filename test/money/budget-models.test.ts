import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Budget } from "../../src/billing/budgets/budget.ts";
import { exampleBudget } from "../../src/billing/budgets/example-budget.testkit.ts";
import { setBudget } from "../../src/billing/budgets/set-budget.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { alias, askedOf, modelOf, policy } from "../routing/routing.testkit.ts";
import { until } from "../until.testkit.ts";
import { createPayer, expectSoundBook, type Payer } from "./payer.testkit.ts";

/** A budget on a model, when requests reach it by other names. */

const limits = { contextLength: 100_000, maxOutputTokens: 1_000 } as const;
/** 10 micro-USD for a token of output; a hold allows for rounding. */
const prices = { input: 0, output: 10_000_000 };
const hold = 1_006;

let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  gateway = await startTestGateway({
    random: () => 0,
    models: [
      modelOf("dear", { ...limits, prices: { input: 0, output: 20_000_000 } }),
      modelOf("exact", { ...limits, prices }),
      modelOf("other", { ...limits, prices }),
      modelOf("unpriced", { ...limits, prices: null }),
    ],
    routes: [
      alias("nickname", "exact"),
      policy("pair", ["exact", "other"]),
      policy("reserve", ["dear", "exact"]),
      policy("loose", ["exact", "unpriced"]),
    ],
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});
beforeEach(() => {
  gateway.sandbox.reset();
  for (const id of ["dear", "exact", "other", "unpriced"]) gateway.sandbox.setModel(`${id}-up`, {});
});

const ask = (by: Payer, model: string, output = 100) =>
  by.post("/v1/chat/completions", {
    model,
    max_tokens: 100,
    messages: [{ role: "user", content: "Hello!" }],
    sandbox: { text: "Hello.", tokens: { input: 5, output } },
  });

/** A payer of its own with budgets that the gateway knows. */
async function payerWith(...wishes: readonly Partial<Budget>[]): Promise<{ one: Payer; budgets: readonly Budget[] }> {
  const one = await createPayer(gateway, storage, 0, { mode: "unlimited" });
  const budgets: Budget[] = [];
  for (const wish of wishes) {
    const wanted = exampleBudget({ accountId: one.id, ...wish });
    budgets.push(await setBudget(storage.budgets, wanted, Date.now(), tester));
  }
  await until("the gateway knows the budgets", async () => {
    return ((await one.account()).budgets as unknown[]).length === wishes.length;
  });
  return { one, budgets };
}

/** What was spent and is held of each budget. */
const spentOf = async (budgets: readonly Budget[]) =>
  Promise.all(
    budgets.map(async ({ id: budgetId }) => {
      const { spentMicrousd, heldMicrousd } = await storage.budgets.counter({ budgetId, startsAt: 0, subject: "" });
      return [spentMicrousd, heldMicrousd];
    }),
  );

const expectSpent = (budgets: readonly Budget[], ...spent: readonly number[]) =>
  until("the charges are counted", async () => {
    return Bun.deepEquals(
      await spentOf(budgets),
      spent.map((each) => [each, 0]),
    );
  });

describe("a hard budget on a model", () => {
  test("counts what the model serves by an alias, and is not exceeded by it", async () => {
    const { one, budgets } = await payerWith({ model: "exact", amountMicrousd: hold + 5 });
    expect((await ask(one, "nickname")).record.billing).toMatchObject({ amount_microusd: 1_000, held_microusd: hold });
    expect((await ask(one, "nickname")).text).toContain("budget_exceeded");
    expect((await ask(one, "exact")).text).toContain("budget_exceeded");
    await expectSpent(budgets, 1_000);
  });

  test("counts what was spent by an alias before it was set", async () => {
    const { one } = await payerWith();
    expect((await ask(one, "nickname")).status).toBe(200);
    await until("the charge is booked", async () => {
      const wanted = exampleBudget({ accountId: one.id, model: "exact", kind: "soft" });
      return (await spentOf([await setBudget(storage.budgets, wanted, Date.now(), tester)]))[0]?.[0] === 1_000;
    });
  });

  test("on the name of an alias or a policy counts what was asked for by it, whatever served it", async () => {
    const { one, budgets } = await payerWith({ model: "nickname" }, { model: "pair" }, { model: "exact" });
    expect([(await ask(one, "nickname")).status, (await ask(one, "pair")).status]).toEqual([200, 200]);
    gateway.sandbox.setModel("exact-up", { fault: { kind: "status", status: 500 } });
    expect((await ask(one, "pair", 50)).record.routing).toMatchObject({ resolved_model: "other" });
    await expectSpent(budgets, 1_000, 1_500, 2_000);
  });

  test("is held for a fallback to the model, by what the model can cost, and counts if it served", async () => {
    const { one, budgets } = await payerWith({ model: "exact", amountMicrousd: hold });
    // The dear one holds nothing of it, and is charged more than the budget has.
    expect((await ask(one, "reserve")).record.billing).toMatchObject({ amount_microusd: 2_000 });
    await expectSpent(budgets, 0);
    gateway.sandbox.setModel("dear-up", { fault: { kind: "status", status: 500 } });
    expect((await ask(one, "reserve")).record.billing).toMatchObject({ amount_microusd: 1_000 });
    await expectSpent(budgets, 1_000);
  });

  test("that does not cover a policy's request leaves its model out, and the others serve it", async () => {
    const { one, budgets } = await payerWith({ model: "exact", amountMicrousd: 0 });
    expect((await ask(one, "pair")).record.routing).toMatchObject({ resolved_model: "other" });
    expect(askedOf(gateway)).toEqual(["other-up"]);
    gateway.sandbox.reset();
    gateway.sandbox.setModel("dear-up", { fault: { kind: "status", status: 500 } });
    expect((await ask(one, "reserve")).status).toBe(502);
    expect(new Set(askedOf(gateway))).toEqual(new Set(["dear-up"]));
    await expectSpent(budgets, 0);
  });

  test("refuses a policy's request if none of its models is covered", async () => {
    const { one } = await payerWith({ model: "exact", amountMicrousd: 0 }, { model: "other", amountMicrousd: 900 });
    const { status, text } = await ask(one, "pair");
    expect([status, text]).toEqual([402, expect.stringContaining("budget_exceeded")]);
    expect(text).toContain("the model exact");
    expect(askedOf(gateway)).toEqual([]);
  });

  test("needs a bound of its own model alone", async () => {
    const { one, budgets } = await payerWith({ model: "exact", amountMicrousd: hold }, { model: "unpriced" });
    const { routing, billing } = (await ask(one, "loose", 70_000)).record;
    expect(routing).toMatchObject({ resolved_model: "exact" });
    expect(billing).toMatchObject({ amount_microusd: 1_000, held_microusd: hold, suspect: true });
    const { status, text } = await ask(one, "loose");
    expect([status, text]).toEqual([402, expect.stringContaining("'unpriced' has no prices")]);
    await expectSpent(budgets, 1_000, 0);
  });

  test("works beside one on all models, which has to cover whatever serves", async () => {
    const { one, budgets } = await payerWith({ amountMicrousd: hold }, { model: "exact", amountMicrousd: 500 });
    expect((await ask(one, "reserve")).text).toContain("budget_exceeded");
    expect((await ask(one, "pair")).record.routing).toMatchObject({ resolved_model: "other" });
    await expectSpent(budgets, 1_000, 0);
  });
});

test("a soft budget on a model warns requests for other names that it serves first", async () => {
  const { one } = await payerWith({ model: "exact", kind: "soft", amountMicrousd: 500 });
  expect((await ask(one, "nickname")).warnings).toBeNull();
  await until("the warning", async () => (await ask(one, "nickname")).warnings === "budget");
  expect([(await ask(one, "pair")).warnings, (await ask(one, "reserve")).warnings]).toEqual(["budget", null]);
});

test("the book adds up", () => expectSoundBook(storage));
