import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { lastCall, searchAt } from "./search.testkit.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

const everyNull = {
  type: null,
  backend: null,
  region: null,
  language: null,
  time_range: null,
  max_results: null,
  search_depth: null,
  include_answer: null,
  include_raw_content: null,
  include_domains: null,
  exclude_domains: null,
  include_provider_payload: null,
  provider_options: null,
};

describe("the answer", () => {
  test("has the documented fields", async () => {
    const { status, headers, body } = await searchAt(gateway, { query: "brewing coffee" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-service-request-id")).toBe(body.id);
    expect(headers.get("x-service-attempts")).toBe("1");
    expect(headers.get("x-service-amount-microusd")).toBe("8000");
    expect(headers.get("x-service-warnings")).toBeNull();
    expect(body).toEqual({
      object: "search",
      id: expect.stringMatching(/^req_/),
      query: "brewing coffee",
      results: expect.any(Array),
      answer: null,
      provider_payload: null,
      usage: { web_search_requests: 1, web_search_billable_units: 1 },
      provider_trace: {
        backend: "tavily",
        attempts: 1,
        latency_ms: expect.any(Number),
        provider_request_id: expect.any(String),
      },
      route_receipt: {
        selection: "auto",
        selected_backend: "sandbox-search",
        chose_provider: "tavily",
        candidates: ["sandbox-search"],
        rejected: [],
        downgraded: false,
        downgrades: [],
        emulated: [],
        fallback_count: 0,
        decision_reason: "only_candidate",
        cache: null,
      },
    });
    expect(body.results[0]).toEqual({
      title: "Brewing coffee by hand",
      url: "https://www.example.com/coffee/brewing",
      snippet: expect.stringContaining("Grind the beans"),
      content: null,
      published_at: null,
      score: 1,
      source: "www.example.com",
    });
  });

  test("has the provider's answer, pages and payload if they are asked for", async () => {
    const asked = { include_answer: true, include_raw_content: true, include_provider_payload: true };
    const { body } = await searchAt(gateway, asked);
    expect(body.answer).toStartWith("Grind the beans");
    expect(body.results[0]?.content).toStartWith("# ");
    expect(body.provider_payload).toMatchObject({ query: "coffee", follow_up_questions: null });
  });

  test("dates of news are RFC 3339 in UTC", async () => {
    const { body } = await searchAt(gateway, { type: "news", time_range: "week" });
    expect(body.results).toMatchObject([{ source: "news.example.net" }]);
    expect(body.results[0]?.published_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test("no results are an answer", async () => {
    const { status, body } = await searchAt(gateway, { query: "xylophone" });
    expect([status, body.results, body.usage.web_search_billable_units]).toEqual([200, [], 1]);
  });
});

describe("the request", () => {
  test("null counts as absent for every optional field", async () => {
    expect((await searchAt(gateway, everyNull)).status).toBe(200);
    expect(lastCall(gateway)).toEqual({
      query: "coffee",
      topic: "general",
      search_depth: "basic",
      max_results: 10,
      include_usage: true,
    });
  });

  test("every field reaches the provider in its own form", async () => {
    const { status, headers } = await searchAt(gateway, {
      backend: "sandbox-search",
      region: "de",
      language: "de-DE",
      time_range: "year",
      max_results: 3,
      search_depth: "advanced",
      include_answer: true,
      include_raw_content: true,
      include_domains: ["Example.com"],
      exclude_domains: ["www.example.com"],
      provider_options: { tavily: { chunks_per_source: 2 }, serper: null },
    });
    expect([status, headers.get("x-service-warnings")]).toEqual([200, null]);
    expect(lastCall(gateway)).toEqual({
      query: "coffee",
      topic: "general",
      search_depth: "advanced",
      max_results: 3,
      include_usage: true,
      time_range: "year",
      country: "germany",
      language: "de",
      include_answer: true,
      include_raw_content: true,
      include_domains: ["example.com"],
      exclude_domains: ["www.example.com"],
      chunks_per_source: 2,
    });
  });

  test("dates among a provider's options are not refused for the range of time beside them", async () => {
    const { status, body } = await searchAt(gateway, {
      backend: "tavily",
      time_range: "week",
      provider_options: { tavily: { start_date: "2026-01-01" } },
    });
    expect(status).toBe(200);
    expect(body.route_receipt.downgrades).toEqual([{ field: "time_range", reason: "unsupported_combination" }]);
  });

  test("max_results above the maximum is clipped", async () => {
    const { status, body } = await searchAt(gateway, { max_results: 1_000_000_000 });
    expect([status, lastCall(gateway).max_results, body.route_receipt.downgraded]).toEqual([200, 10, false]);
    expect(body.route_receipt.emulated).toEqual(["max_results"]);
  });

  test("fields that nobody reads are named in a warning", async () => {
    const { status, headers } = await searchAt(gateway, {
      maxresults: 3,
      provider_options: { nobody: {} },
      region: "Atlantis",
    });
    expect(status).toBe(200);
    expect(headers.get("x-service-warnings")).toBe("maxresults, provider_options.nobody, region");
  });

  test("what is left out is a downgrade", async () => {
    const { body } = await searchAt(gateway, { region: "QQ", language: "klingonese", type: "news" });
    expect(body.route_receipt).toMatchObject({
      downgraded: true,
      downgrades: [
        { field: "region", reason: "unknown_value" },
        { field: "language", reason: "unknown_value" },
      ],
    });
  });

  const refused: readonly (readonly [fields: object, param: string, code?: string])[] = [
    [{ query: undefined }, "query", "missing_parameter"],
    [{ query: null }, "query", "missing_parameter"],
    [{ query: "" }, "query"],
    [{ query: " \n\u0000" }, "query"],
    [{ query: "q".repeat(10_000) }, "query"],
    [{ query: ["a", "b"] }, "query"],
    [{ query: 5 }, "query"],
    [{ type: "images" }, "type"],
    [{ type: ["web"] }, "type"],
    [{ backend: 5 }, "backend"],
    [{ backend: " " }, "backend"],
    [{ time_range: "decade" }, "time_range"],
    [{ search_depth: "deep" }, "search_depth"],
    [{ max_results: 0 }, "max_results"],
    [{ max_results: -1 }, "max_results"],
    [{ max_results: 1.5 }, "max_results"],
    [{ max_results: "10" }, "max_results"],
    [{ include_answer: "yes" }, "include_answer"],
    [{ include_raw_content: 1 }, "include_raw_content"],
    [{ include_provider_payload: "no" }, "include_provider_payload"],
    [{ region: 49 }, "region"],
    [{ language: ["de"] }, "language"],
    [{ include_domains: "example.com" }, "include_domains"],
    [{ include_domains: ["https://example.com"] }, "include_domains[0]"],
    [{ include_domains: ["a.test", "example.com/path"] }, "include_domains[1]"],
    [{ include_domains: ["example.com:8080"] }, "include_domains[0]"],
    [{ exclude_domains: ["*.example.com"] }, "exclude_domains[0]"],
    [{ include_domains: ["exam ple.com"] }, "include_domains[0]"],
    [{ include_domains: [""] }, "include_domains[0]"],
    [{ include_domains: ["*"] }, "include_domains[0]"],
    [{ include_domains: ["."] }, "include_domains[0]"],
    [{ include_domains: [".com"] }, "include_domains[0]"],
    [{ include_domains: [5] }, "include_domains[0]"],
    [{ include_domains: [null] }, "include_domains[0]"],
    [{ include_domains: ["user@example.com"] }, "include_domains[0]"],
    [{ include_domains: ["a..example.com"] }, "include_domains[0]"],
    [{ include_domains: [`${"a".repeat(64)}.test`] }, "include_domains[0]"],
    [{ exclude_domains: [`${"a.".repeat(127)}test`] }, "exclude_domains[0]"],
    [{ exclude_domains: Array.from({ length: 10_000 }, () => "a.test") }, "exclude_domains"],
    [{ include_domains: Array.from({ length: 10_000 }, (_, index) => `a${index}.test`) }, "include_domains"],
    [{ include_domains: ["a.test"], exclude_domains: ["test"] }, "exclude_domains"],
    [{ provider_options: [] }, "provider_options"],
    [{ provider_options: { tavily: "x" } }, "provider_options.tavily"],
    [{ provider_options: { tavily: { api_key: "x" } } }, "provider_options.tavily.api_key", "unsupported_parameter"],
    [
      { provider_options: { tavily: { include_domains: ["evil.test"] } } },
      "provider_options.tavily.include_domains",
      "unsupported_parameter",
    ],
  ];

  test.each(refused.map(([fields, param, code = "invalid_parameter"]) => [fields, param, code] as const))(
    "%j is a 400 that names %s",
    async (fields, param, code) => {
      const { status, body } = await searchAt(gateway, { ...fields });
      const { type, ...error } = body.error ?? { type: null };
      expect([status, type, error]).toMatchObject([400, "invalid_request_error", { code, param }]);
      expect(gateway.sandbox.requests).toHaveLength(0);
    },
  );

  test("an empty list of domains restricts nothing, and an address admits itself", async () => {
    expect((await searchAt(gateway, { include_domains: [], exclude_domains: [] })).body.results).not.toEqual([]);
    expect((await searchAt(gateway, { include_domains: ["192.0.2.1"] })).body.results).toEqual([]);
  });

  test("an unknown backend is a 404", async () => {
    const { status, body } = await searchAt(gateway, { backend: "sandbox-serach" });
    expect([status, body.error?.code, body.error?.param]).toEqual([404, "backend_not_found", "backend"]);
    expect(body.error?.message).toContain("sandbox-search");
  });

  test("needs a key that may search", async () => {
    expect((await searchAt(gateway, {}, { authorization: "Bearer none" })).status).toBe(401);
    const { key } = await gateway.newKey({ scopes: { endpoints: ["chat"] } });
    const { status, body } = await searchAt(gateway, {}, { authorization: `Bearer ${key}` });
    expect([status, body.error?.code]).toEqual([403, "endpoint_not_allowed"]);
  });

  test("other methods are a 405", async () => {
    const response = await gateway.fetch("/v1/search");
    expect([response.status, response.headers.get("allow")]).toEqual([405, expect.stringContaining("POST")]);
  });
});

describe("the record", () => {
  test("of a search", async () => {
    const { body } = await searchAt(gateway, { search_depth: "advanced" });
    const record = await gateway.record(body.id);
    expect(record).toMatchObject({
      status: "succeeded",
      model: "auto",
      endpoint: "/v1/search",
      stream: false,
      usage: {
        prompt_tokens: 0,
        completion_tokens: 0,
        total_tokens: 0,
        measurement: null,
        dimensions: [{ name: "web_search", quantity: 2, unit: "search_unit" }],
      },
      billing: {
        status: "charged",
        amount_microusd: 16_000,
        line_items: [
          {
            dimension: "web_search",
            quantity: 2,
            unit: "search_unit",
            unit_size: 1,
            unit_microusd: 8_000,
            amount_microusd: 16_000,
          },
        ],
      },
      routing: {
        strategy_name: "auto",
        requested_model: "auto",
        resolved_model: "sandbox-search",
        chose_provider: "tavily",
        status_code: 200,
        attempts: 1,
      },
      provider_usage: { family: "tavily", raw_fields: { credits: 2 } },
    });
    expect(record.route_receipt).toEqual({ ...body.route_receipt });
  });

  test("of a named backend", async () => {
    const { body } = await searchAt(gateway, { backend: "tavily" });
    expect(body.route_receipt).toMatchObject({ selection: "explicit", decision_reason: "explicit" });
    expect((await gateway.record(body.id)).routing).toMatchObject({
      strategy_name: "direct",
      requested_model: "tavily",
      resolved_model: "sandbox-search",
    });
  });

  test("of a refused search is free", async () => {
    const { headers } = await searchAt(gateway, { backend: "nowhere" });
    const record = await gateway.record(headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "refused", billing: { amount_microusd: 0 }, usage: { measurement: null } });
  });
});

test("an Idempotency-Key gives the first answer again", async () => {
  const headers = { "idempotency-key": "search-1" };
  const first = await searchAt(gateway, {}, headers);
  const second = await searchAt(gateway, {}, headers);
  expect(second.body).toEqual(first.body);
  expect(gateway.sandbox.requests).toHaveLength(1);
});

test("a search counts against the limits of its key", async () => {
  const { key } = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
  const headers = { authorization: `Bearer ${key}` };
  expect((await searchAt(gateway, {}, headers)).status).toBe(200);
  const { status, body } = await searchAt(gateway, {}, headers);
  expect([status, body.error?.code]).toEqual([429, "requests_per_minute"]);
});
