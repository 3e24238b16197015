import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createDialects } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/registry.ts";
import type { SearchProvider } from "../../src/search/provider.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook } from "../money/payer.testkit.ts";

/** What a search costs: units times the price of a unit, or what the provider says. */
let gateway: TestGateway;
let storage: Storage;

/** A provider whose answers say `{"usage": {"credits", "usd"}}`. */
function tellingCost(provider: SearchProvider): SearchProvider {
  return {
    ...provider,
    readAnswer(body, query) {
      const answer = provider.readAnswer(body, query);
      const { usd } = answer.usage;
      return { ...answer, costUsd: typeof usd === "number" ? usd : null };
    },
  };
}

const withCosts = dialects.all.map((dialect) => {
  const { search } = dialect.provides;
  return search ? { ...dialect, provides: { search: tellingCost(search) } } : dialect;
});

beforeAll(async () => {
  gateway = await startTestGateway({
    dialects: createDialects(withCosts),
    backends: (url) => {
      const backend = (id: string) => ({
        id,
        provider: "tavily",
        baseUrl: `${url}/search/tavily@${id}`,
        apiKeys: ["k"],
      });
      return [
        { ...backend("priced"), prices: { web_search: 8_000 } },
        { ...backend("free"), prices: { web_search: 0 } },
        { ...backend("unpriced"), prices: null },
        { ...backend("passed-through"), prices: { web_search: 8_000, cost: "provider" as const } },
      ];
    },
  });
  storage = await openStorage(gateway.storageUrl);
});
beforeEach(() => {
  gateway.sandbox.reset();
  for (const id of ["priced", "free", "unpriced", "passed-through"]) usage(id, {});
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

/** What the vendor reports as its usage. */
const usage = (id: string, fields: object) =>
  gateway.sandbox.setModel(`search/tavily@${id}`, Object.keys(fields).length === 0 ? {} : { usage: { usage: fields } });

const payer = (balance: number, mode: "prepaid" | "unlimited" = "prepaid") =>
  createPayer(gateway, storage, balance, { mode });

const search = (backend: string, more: object = {}) => ({ query: "coffee", backend, ...more });

describe("the charge", () => {
  test.each([
    ["priced", {}, "charged", 8_000, 1],
    ["priced", { search_depth: "advanced" }, "charged", 16_000, 2],
    ["free", {}, "free", 0, 1],
    ["unpriced", {}, "unpriced", 0, 1],
  ] as const)("of %s with %j is %s", async (backend, more, status, amount, units) => {
    const by = await payer(0, "unlimited");
    const { record } = await by.post("/v1/search", search(backend, more));
    expect(record.billing).toMatchObject({
      status,
      amount_microusd: amount,
      line_items: [{ dimension: "web_search", quantity: units, amount_microusd: amount }],
    });
  });

  test("goes by the units that the provider reports", async () => {
    usage("priced", { credits: 2 });
    const by = await payer(0, "unlimited");
    expect((await by.post("/v1/search", search("priced"))).record.billing.amount_microusd).toBe(16_000);
  });

  test("stays within the most units that the provider may report", async () => {
    usage("priced", { credits: 1e300 });
    const by = await payer(0, "unlimited");
    const { record, text } = await by.post("/v1/search", search("priced"));
    expect(record.billing).toMatchObject({ amount_microusd: 16_000, suspect: true });
    expect(JSON.parse(text).usage.web_search_billable_units).toBe(2);
  });

  test("is the provider's own cost if that is passed through, and by units if it tells none", async () => {
    const by = await payer(0, "unlimited");
    usage("passed-through", { credits: 1, usd: 0.0123 });
    const passed = await by.post("/v1/search", search("passed-through"));
    expect(passed.record.billing).toMatchObject({
      status: "charged",
      amount_microusd: 12_300,
      line_items: [{ dimension: "provider_cost", quantity: 0.0123 }],
    });
    usage("passed-through", { credits: 1 });
    const untold = await by.post("/v1/search", search("passed-through"));
    expect(untold.record.billing).toMatchObject({ amount_microusd: 8_000, line_items: [{ dimension: "web_search" }] });
  });
});

describe("a prepaid balance", () => {
  test("is held for the most units, and charged for those used", async () => {
    const by = await payer(20_000);
    const { status, record } = await by.post("/v1/search", search("priced"));
    expect(status).toBe(200);
    expect(record.billing).toMatchObject({ amount_microusd: 8_000, account: by.id });
    expect(record.billing.held_microusd).toBe(16_000);
    expect(await by.account()).toMatchObject({ balance_microusd: 12_000, held_microusd: 0 });
    await expectSoundBook(storage);
  });

  test("that is exactly the most that it can cost is enough, for pages too", async () => {
    usage("priced", { credits: 2 });
    const by = await payer(16_000);
    expect((await by.post("/v1/search", search("priced"))).status).toBe(200);
    const reader = await payer(8_000);
    const pages = { urls: ["https://www.example.com/coffee/brewing"], backend: "priced" };
    expect((await reader.post("/v1/fetch", pages)).status).toBe(200);
    expect([await by.account(), await reader.account()]).toMatchObject([
      { balance_microusd: 0, held_microusd: 0 },
      { balance_microusd: 0, held_microusd: 0 },
    ]);
    await expectSoundBook(storage);
  });

  test("that does not cover the hold is a 402, and nothing is asked", async () => {
    const by = await payer(15_999);
    const { status, text } = await by.post("/v1/search", search("priced"));
    expect(status).toBe(402);
    expect(JSON.parse(text)).toMatchObject({ error: { type: "insufficient_balance" } });
    expect(gateway.sandbox.requests).toHaveLength(0);
  });

  test("is given back if the search fails, times out or is refused", async () => {
    const by = await payer(20_000);
    for (const fault of [
      { kind: "status", status: 500 },
      { kind: "status", status: 400 },
      { kind: "close" },
    ] as const) {
      gateway.sandbox.setModel("search/tavily@priced", { fault });
      const { record } = await by.post("/v1/search", search("priced"));
      expect(record.billing).toMatchObject({ status: "refunded", amount_microusd: 0, line_items: [] });
    }
    expect(await by.account()).toMatchObject({ balance_microusd: 20_000, held_microusd: 0 });
  });

  test("is held for the pages that are asked for, and charged for those that were there", async () => {
    const by = await payer(4_010);
    const pages = (count: number) =>
      Array.from({ length: count }, (_, index) => `https://www.example.com/coffee/brewing?${index}`);
    const refused = await by.post("/v1/fetch", { urls: pages(6), backend: "priced" });
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([402, "insufficient_balance"]);
    const rich = await payer(20_000);
    const urls = [...pages(5), "https://www.example.com/missing", "http://localhost/"];
    const { status, record } = await rich.post("/v1/fetch", { urls, backend: "priced" });
    expect(status).toBe(200);
    expect(record.billing.held_microusd).toBeWithin(16_000, 16_010);
    expect(record.billing).toMatchObject({ status: "charged", amount_microusd: 8_000 });
    expect(await rich.account()).toMatchObject({ balance_microusd: 12_000, held_microusd: 0 });
    usage("priced", { credits: 1e300 });
    const more = await rich.post("/v1/fetch", { urls: pages(1), backend: "priced" });
    expect(more.record.billing).toMatchObject({ amount_microusd: 8_000, suspect: true });
    expect(JSON.parse(more.text).usage.web_fetch_billable_units).toBe(1);
    usage("priced", {});
    gateway.sandbox.setModel("search/tavily@priced", { fault: { kind: "status", status: 500 } });
    const failed = await rich.post("/v1/fetch", { urls: pages(1), backend: "priced" });
    expect(failed.record.billing).toMatchObject({ status: "refunded", amount_microusd: 0, line_items: [] });
    expect(await rich.account()).toMatchObject({ balance_microusd: 4_000, held_microusd: 0 });
    await expectSoundBook(storage);
  });

  test("leaves out backends without a price if others have one", async () => {
    const by = await payer(20_000);
    const { status, text } = await by.post("/v1/search", { query: "coffee" });
    expect(status).toBe(200);
    const { candidates, rejected } = JSON.parse(text).route_receipt;
    expect(candidates).not.toContain("unpriced");
    expect(rejected).toEqual([{ backend: "unpriced", reason: "not_allowed" }]);
    const asked = JSON.stringify({ path: "/v1/search", body: { query: "coffee" } });
    const headers = { authorization: `Bearer ${by.key}`, "content-type": "application/json" };
    const quoted = await (await gateway.fetch("/api/quote", { method: "POST", headers, body: asked })).json();
    expect(quoted).toMatchObject({ greatest: { amount_microusd: 16_000, line_items: [{ amount_microusd: 16_000 }] } });
    const read = await by.post("/v1/fetch", { urls: ["https://www.example.com/coffee/brewing"] });
    expect(read.status).toBe(200);
    await expectSoundBook(storage);
  });

  test("does not pay for a search without a price", async () => {
    const by = await payer(20_000);
    const { status, text } = await by.post("/v1/search", search("unpriced"));
    expect([status, text]).toEqual([402, expect.stringContaining("no prices")]);
  });
});
