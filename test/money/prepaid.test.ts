import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tester } from "../../src/changes/actor.testkit.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { createPayer, expectSoundBook, type Payer } from "./payer.testkit.ts";

/** What a prepaid account sees: what is held, charged and given back, and what does not fit. */

const targets = [{ provider: "sandbox", model: "sandbox-chat" }];
const model = { targets, contextLength: 100_000, maxOutputTokens: 1_000 } as const;
/** Nothing for input, 10 micro-USD for a token of output. */
const prices = { input: 0, output: 10_000_000 };
/** A hold allows for the rounding of the kinds of tokens. */
const rounding = 6;

let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      { ...model, id: "exact", prices },
      { ...model, id: "unpriced", prices: null },
      { ...model, id: "boundless", prices, contextLength: null, maxOutputTokens: null },
      { ...model, id: "dear", prices: { input: 0, output: 50_000_000 } },
      { ...model, id: "free", prices: { input: 0, output: 0 } },
    ],
    routes: [
      {
        kind: "policy",
        id: "either",
        strategy: "priority",
        members: [
          { model: "exact", weight: 1 },
          { model: "dear", weight: 1 },
        ],
        requires: [],
        retry: { attempts: null, budgetMs: 1_000, on: [] },
        fallbackOn: ["server_error"],
        hedgeAfterMs: null,
      },
    ],
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

const payer = (balance: number, mode: "prepaid" | "unlimited" = "prepaid", markup = 0) =>
  createPayer(gateway, storage, balance, { mode, markup });
const account = (by: Payer) => by.account();
/** What the provider was sent last. */
const sentLast = (): unknown => JSON.parse(String(gateway.sandbox.requests.at(-1)?.body));
const tokens = (output: number) => ({ sandbox: { text: "Hello.", tokens: { input: 5, output } } });

const ask = (by: Payer, body: Readonly<Record<string, unknown>>) =>
  by.post("/v1/chat/completions", { model: "exact", messages: [{ role: "user", content: "Hello!" }], ...body });

describe("a prepaid account", () => {
  test.each([false, true])("pays what was used, and gets back what was held beyond it (stream: %p)", async (stream) => {
    const one = await payer(50_000);
    const { status, record } = await ask(one, { stream, max_tokens: 500, ...tokens(40) });
    expect(status).toBe(200);
    expect(record.billing).toMatchObject({
      account: one.id,
      amount_microusd: 400,
      held_microusd: 5_000 + rounding,
      status: "charged",
    });
    expect(await account(one)).toEqual({
      object: "account",
      id: one.id,
      mode: "prepaid",
      balance_microusd: 49_600,
      held_microusd: 0,
      available_microusd: 49_600,
      currency: "USD",
      budgets: [],
      limits: { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null },
    });
  });

  test("sees what running requests hold", async () => {
    const one = await payer(50_000);
    const running = gateway.chat({ model: "exact", max_tokens: 500, sandbox: { latency_ms: 400 } }, one.by);
    const deadline = performance.now() + 5_000;
    let held = 0;
    while (held === 0 && performance.now() < deadline) held = (await account(one)).held_microusd;
    expect(held).toBe(5_000 + rounding);
    await (await running).arrayBuffer();
    expect((await account(one)).held_microusd).toBe(0);
  });

  test("is refused with 402 what its balance does not cover, and no provider is asked", async () => {
    const one = await payer(1_500);
    const before = gateway.sandbox.requests.length;
    const { status, text, record } = await ask(one, { max_tokens: 200 });
    expect(status).toBe(402);
    expect(JSON.parse(text)).toMatchObject({
      error: {
        type: "insufficient_balance",
        code: "insufficient_balance",
        message: expect.stringContaining("0.0015 USD available, 0.002006 USD needed"),
      },
    });
    expect(gateway.sandbox.requests.length).toBe(before);
    expect(record).toMatchObject({ status: "refused", billing: { amount_microusd: 0, held_microusd: 0 } });
    await one.credit(600);
    expect((await ask(one, { max_tokens: 200, ...tokens(200) })).status).toBe(200);
    expect((await account(one)).balance_microusd).toBe(100);
  });

  test("is refused with 402 however often it asks, and only so many leave a record", async () => {
    const busy = await startTestGateway({
      server: { maxRefusedPerMinute: 5 },
      models: [{ ...model, id: "exact", prices }],
    });
    const kept = await openStorage(busy.storageUrl);
    await kept.accounts.create({ id: "poor", name: "p", mode: "prepaid", markupBasisPoints: 0, createdAt: 1 }, tester);
    const { key } = await busy.newKey({ accountId: "poor" });
    const by = { headers: { authorization: `Bearer ${key}` } };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => busy.chat({ model: "exact", max_tokens: 9 }, by)),
    );
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(20);
    const found = await Promise.all(answers.map((each) => busy.fetch(`/api/usage/requests/${idOf(each)}`, by)));
    expect(found.filter(({ status }) => status === 200)).toHaveLength(5);
    await kept.close();
    await busy.stop();
  });

  test("is given a lower limit where the balance covers only a part of the answer", async () => {
    const one = await payer(4_000);
    // 3,994 micro-USD buy 399 tokens beside the rounding.
    const { status, limit, record } = await ask(one, { max_tokens: 900, ...tokens(399) });
    expect([status, limit]).toEqual([200, "399"]);
    expect(sentLast()).toMatchObject({ max_tokens: 399 });
    expect(record.billing).toMatchObject({ amount_microusd: 3_990, held_microusd: 3_990 + rounding });
    expect((await account(one)).balance_microusd).toBe(10);

    const two = await payer(4_000);
    const without = await ask(two, tokens(20));
    expect([without.status, without.limit]).toEqual([200, "399"]);
    expect(sentLast()).toMatchObject({ max_completion_tokens: 399 });

    const three = await payer(5_500);
    const several = await ask(three, { n: 2, max_tokens: 600, ...tokens(20) });
    expect([several.status, several.limit]).toEqual([200, "274"]);

    const four = await payer(2_000);
    // 199 tokens are fewer than `billing.minimum_output_tokens`.
    expect((await ask(four, { max_tokens: 900 })).status).toBe(402);
  });

  test("pays no more than was held, whatever the provider reports", async () => {
    const one = await payer(5_006);
    const { status, record } = await ask(one, { max_tokens: 500, ...tokens(70_000) });
    expect(status).toBe(200);
    expect(record.billing).toMatchObject({ amount_microusd: 5_000, held_microusd: 5_006, suspect: true });
    expect((await account(one)).balance_microusd).toBe(6);
  });

  test("is refused what has no bound, with what the model lacks; an unlimited one is served", async () => {
    const [one, unlimited] = [await payer(1_000_000), await payer(0, "unlimited")];
    const unpriced = await ask(one, { model: "unpriced" });
    expect([unpriced.status, unpriced.text]).toEqual([402, expect.stringContaining("'unpriced' has no prices")]);
    const boundless = await ask(one, { model: "boundless" });
    expect([boundless.status, boundless.text]).toEqual([
      402,
      expect.stringContaining("'boundless' has no max_output_tokens and context_length"),
    ]);
    expect((await ask(one, { model: "boundless", max_tokens: 5, ...tokens(5) })).status).toBe(200);
    for (const id of ["unpriced", "boundless"]) expect((await ask(unlimited, { model: id })).status).toBe(200);
    expect((await account(unlimited)).balance_microusd).toBeLessThan(0);
    const free = await payer(0);
    expect((await ask(free, { model: "free" })).status).toBe(200);
  });

  test("is held what the dearest model that may answer costs, and charged what did answer", async () => {
    const one = await payer(50_006);
    const cheap = await ask(one, { model: "either", max_tokens: 1_000, ...tokens(10) });
    expect(cheap.record.billing).toMatchObject({ amount_microusd: 100, held_microusd: 50_000 + rounding });
    expect((await account(one)).balance_microusd).toBe(49_906);
  });

  test("gets all of its hold back when a request fails or its caller leaves before an answer", async () => {
    const one = await payer(10_006);
    const failed = await ask(one, { sandbox: { fault: { kind: "status", status: 500 } } });
    expect([failed.status, failed.record.billing.held_microusd]).toEqual([502, 10_006]);
    const leaving = new AbortController();
    const left = gateway.chat(
      { model: "exact", sandbox: { latency_ms: 2_000 } },
      { ...one.by, signal: leaving.signal },
    );
    const deadline = performance.now() + 5_000;
    while ((await account(one)).held_microusd === 0 && performance.now() < deadline) await Bun.sleep(5);
    leaving.abort();
    await left.catch(() => undefined);
    while ((await account(one)).held_microusd > 0 && performance.now() < deadline) await Bun.sleep(5);
    expect(await account(one)).toMatchObject({ balance_microusd: 10_006, held_microusd: 0 });
    expect((await ask(one, tokens(1_000))).status).toBe(200);
  });

  test("pays a markup as a line of its own, within the hold", async () => {
    const [one, cheap] = [await payer(30_000, "prepaid", 1_250), await payer(0, "unlimited", -2_500)];
    const { record } = await ask(one, { max_tokens: 500, ...tokens(50) });
    expect(record.billing).toMatchObject({ amount_microusd: 563, held_microusd: 5_632 });
    expect(record.billing.line_items.map(({ dimension, amount_microusd }) => [dimension, amount_microusd])).toEqual([
      ["input", 0],
      ["output", 500],
      ["markup", 63],
    ]);
    const less = await ask(cheap, { max_tokens: 500, ...tokens(50) });
    expect(less.record.billing.amount_microusd).toBe(375);
    expect((await account(cheap)).balance_microusd).toBe(-375);
  });

  test("leaves a book that adds up", () => expectSoundBook(storage));
});
