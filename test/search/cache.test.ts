import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook } from "../money/payer.testkit.ts";
import { searchAt, type Searched } from "./search.testkit.ts";

/** Answers to searches that are given again. */
let gateway: TestGateway;
let storage: Storage;

beforeAll(async () => {
  gateway = await startTestGateway({
    searchCache: { ttlMs: 60_000, maxBytes: 8 << 20 },
    backends: (url) => {
      const backend = (id: string, more: object = {}) => ({
        id,
        provider: "tavily",
        baseUrl: `${url}/search/tavily@${id}`,
        apiKeys: ["k"],
        prices: { web_search: 8_000 },
        ...more,
      });
      const brave = { provider: "brave", baseUrl: `${url}/search/brave`, priority: 9 };
      return [
        backend("first"),
        backend("second", { priority: 2 }),
        backend("never", { priority: 3, cache: false }),
        backend("brave", brave),
        backend("brave-allowed", { ...brave, priority: 10, cache: true }),
      ];
    },
  });
  storage = await openStorage(gateway.storageUrl);
});
beforeEach(() => {
  gateway.sandbox.reset();
  for (const id of ["first", "second", "never"]) gateway.sandbox.setModel(`search/tavily@${id}`, {});
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

/** Each test asks what no other does, so that it finds nothing from before. */
let sequence = 0;
const newQuery = () => `coffee ${++sequence}`;

const calls = () => gateway.sandbox.requests.length;
const cacheOf = ({ body }: Searched) => body.route_receipt.cache;

test("the second search is a hit: the same answer, no call, and no charge", async () => {
  const query = newQuery();
  const fields = { query, include_answer: true, region: "xx", max_results: 3 };
  const miss = await searchAt(gateway, fields);
  const hit = await searchAt(gateway, fields);
  expect([miss.status, hit.status, calls()]).toEqual([200, 200, 1]);
  expect([cacheOf(miss), cacheOf(hit)]).toEqual(["miss", "hit"]);
  expect(hit.body.id).toBe(hit.headers.get("x-service-request-id") ?? "");
  expect(hit.body.id).not.toBe(miss.body.id);
  expect(hit.body).toEqual({
    ...miss.body,
    id: hit.body.id,
    usage: { web_search_requests: 1, web_search_billable_units: 0 },
    provider_trace: { backend: "tavily", attempts: 0, latency_ms: 0, provider_request_id: null },
    route_receipt: { ...miss.body.route_receipt, cache: "hit" },
  });
  expect(hit.body.route_receipt).toMatchObject({
    selected_backend: "first",
    downgrades: [{ field: "region", reason: "unknown_value" }],
  });
  expect([hit.headers.get("x-service-attempts"), hit.headers.get("x-service-amount-microusd")]).toEqual(["0", "0"]);
  expect(hit.headers.get("x-service-warnings")).toBe(miss.headers.get("x-service-warnings"));
  expect(await gateway.record(hit.body.id)).toMatchObject({
    status: "succeeded",
    model: "auto",
    endpoint: "/v1/search",
    usage: { measurement: null, dimensions: [{ name: "web_search", quantity: 0, unit: "search_unit" }] },
    billing: {
      amount_microusd: 0,
      line_items: [{ dimension: "web_search", quantity: 0, unit_microusd: 8_000, amount_microusd: 0 }],
    },
    routing: { resolved_model: "first", attempts: 0 },
    route_receipt: { cache: "hit", selected_backend: "first" },
  });
});

test("a hit holds nothing, so that an empty balance has it too", async () => {
  const query = newQuery();
  const by = await createPayer(gateway, storage, 16_010, { mode: "prepaid" });
  expect((await by.post("/v1/search", { query })).record.billing.amount_microusd).toBe(8_000);
  const hit = await by.post("/v1/search", { query });
  expect([hit.status, hit.record.billing.amount_microusd, hit.record.billing.held_microusd]).toEqual([200, 0, 0]);
  expect((await by.post("/v1/search", { query: newQuery() })).status).toBe(402);
  expect(await by.account()).toMatchObject({ balance_microusd: 8_010, held_microusd: 0 });
  await expectSoundBook(storage);
});

describe("what an answer depends on", () => {
  test.each<[what: string, first: object, second: object]>([
    ["the type", {}, { type: "news" }],
    ["the number of results", {}, { max_results: 3 }],
    ["the country", {}, { region: "DE" }],
    ["the language", {}, { language: "de" }],
    ["the range of time", {}, { time_range: "week" }],
    ["the depth", {}, { search_depth: "advanced" }],
    ["the answer", {}, { include_answer: true }],
    ["the pages", {}, { include_raw_content: true }],
    ["the payload", {}, { include_provider_payload: true }],
    ["the included domains", {}, { include_domains: ["example.com"] }],
    ["the excluded domains", {}, { exclude_domains: ["example.com"] }],
    ["options", {}, { provider_options: { tavily: { chunks_per_source: 2 } } }],
    ["what is left out of it", { region: "xx" }, {}],
    ["the backend", {}, { backend: "second" }],
  ])("%s", async (_, first, second) => {
    const query = newQuery();
    await searchAt(gateway, { query, ...first });
    expect(cacheOf(await searchAt(gateway, { query, ...second }))).toBe("miss");
    expect(cacheOf(await searchAt(gateway, { query, ...first }))).toBe("hit");
    expect(cacheOf(await searchAt(gateway, { query, ...second }))).toBe("hit");
    expect(calls()).toBe(2);
  });

  test("not on how it is written", async () => {
    const query = newQuery();
    await searchAt(gateway, { query, include_domains: ["example.com", "example.org"], region: "uk" });
    const again = await searchAt(gateway, {
      query: ` ${query}\n`,
      backend: "first",
      include_domains: ["Example.ORG.", "docs.example.com", "example.com"],
      region: "GB",
      provider_options: { serper: { location: "x" } },
    });
    expect(cacheOf(again)).toBe("hit");
    expect(again.body.query).toBe(` ${query}\n`);
    expect(again.body.route_receipt).toMatchObject({ selection: "explicit", decision_reason: "explicit" });
  });

  test("the account", async () => {
    const query = newQuery();
    const one = await createPayer(gateway, storage, 0, { mode: "unlimited" });
    const other = await createPayer(gateway, storage, 0, { mode: "unlimited" });
    for (const by of [one, other]) await by.post("/v1/search", { query });
    expect(calls()).toBe(2);
  });

  test("the domains of the key", async () => {
    const query = newQuery();
    const { key } = await gateway.newKey({ scopes: { domains: ["example.com"] } });
    await searchAt(gateway, { query });
    const narrowed = await searchAt(gateway, { query }, { authorization: `Bearer ${key}` });
    expect(cacheOf(narrowed)).toBe("miss");
    for (const { source } of narrowed.body.results) expect(source).toEndWith("example.com");
  });
});

test("a caller can ask for a new answer, which is kept, and for one that is not kept", async () => {
  const query = newQuery();
  const states = [];
  for (const control of ["no-store", "max-age=0, No-Cache", "", "no-cache", "no-store"]) {
    states.push(cacheOf(await searchAt(gateway, { query }, { "cache-control": control })));
  }
  expect(states).toEqual([null, "miss", "hit", "miss", null]);
  expect(calls()).toBe(4);
});

test("answers are kept by backends whose terms or settings allow it", async () => {
  for (const [backend, expected] of [
    ["never", null],
    ["brave", null],
    ["brave-allowed", "hit"],
  ] as const) {
    const query = newQuery();
    await searchAt(gateway, { query, backend });
    expect([backend, cacheOf(await searchAt(gateway, { query, backend }))]).toEqual([backend, expected]);
  }
});

test("a failure is not kept", async () => {
  const query = newQuery();
  gateway.sandbox.setModel("search/tavily@first", { fault: { kind: "status", status: 500, times: 1 } });
  expect((await searchAt(gateway, { query, backend: "first" })).status).toBe(502);
  expect(cacheOf(await searchAt(gateway, { query, backend: "first" }))).toBe("miss");
  expect(cacheOf(await searchAt(gateway, { query, backend: "first" }))).toBe("hit");
});

test("no backend answers in place of one that comes before it and can be asked", async () => {
  const query = newQuery();
  await searchAt(gateway, { query, backend: "second" });
  const { body } = await searchAt(gateway, { query });
  expect(body.route_receipt).toMatchObject({ selected_backend: "first", cache: "miss" });
});

test("an answer that nothing was found is kept like others", async () => {
  const query = `xylophone ${newQuery().slice("coffee ".length)}`;
  await searchAt(gateway, { query });
  const again = await searchAt(gateway, { query });
  expect([cacheOf(again), again.body.results]).toEqual(["hit", []]);
});

test("an answer is given again for its time, and on its day", async () => {
  const clock = createTestClock();
  const dayMs = 86_400_000;
  clock.advance(dayMs - (clock.now() % dayMs) - 60_000);
  const own = await startTestGateway({ clock, searchCache: { ttlMs: 120_000, maxBytes: 1 << 20 } });
  const state = async () => (await searchAt(own, { query: "coffee" })).body.route_receipt.cache;
  expect([await state(), await state()]).toEqual(["miss", "hit"]);
  // The next day.
  clock.advance(60_000);
  expect([await state(), await state()]).toEqual(["miss", "hit"]);
  clock.advance(120_000);
  expect(await state()).toBe("miss");
  await own.stop();
});

test("nothing is kept unless it is configured", async () => {
  const own = await startTestGateway();
  for (let time = 0; time < 2; time++) {
    expect((await searchAt(own, { query: "coffee" })).body.route_receipt.cache).toBeNull();
  }
  expect(own.sandbox.requests).toHaveLength(2);
  await own.stop();
});

test("fields that nobody reads are those of each caller", async () => {
  const query = newQuery();
  const warned = async (more: object) => {
    const { headers, body } = await searchAt(gateway, { query, region: "xx", ...more });
    return [body.route_receipt.cache, headers.get("x-service-warnings")];
  };
  expect(await warned({ first_unknown: 1 })).toEqual(["miss", "first_unknown, region"]);
  expect(await warned({ other_unknown: 1 })).toEqual(["hit", "other_unknown, region"]);
  expect(await warned({})).toEqual(["hit", "region"]);
});
