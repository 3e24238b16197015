import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Downgrade } from "../../src/search/answer.ts";
import { searchProviders } from "../../src/search/providers/registry.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { searchAt } from "./search.testkit.ts";

let gateway: TestGateway;

/** Each provider as a backend of its own name, with a key that its vendor refuses, and as an account that is made to fail. */
beforeAll(async () => {
  gateway = await startTestGateway({
    backends: (url) =>
      searchProviders.flatMap(({ name }) => {
        const backend = {
          id: name,
          provider: name,
          baseUrl: `${url}/search/${name}`,
          apiKeys: ["key"],
          maxResults: 20,
          prices: { web_search: 1_000, ...(name === "exa" && { cost: "provider" as const }) },
        };
        return [
          { ...backend, priority: name === "tavily" ? 0 : 1 },
          { ...backend, id: `${name}-wrong`, apiKeys: ["wrong"] },
          { ...backend, id: `${name}-bad`, baseUrl: `${url}/search/${name}@bad`, allowFallback: true },
        ];
      }),
  });
});
beforeEach(() => {
  gateway.sandbox.reset();
  for (const { name } of searchProviders) gateway.sandbox.setModel(`search/${name}@bad`, {});
});
afterAll(() => gateway.stop());

/** Of a request for everything, what a provider that can do each by itself cannot do of all together. */
const alsoDowngraded: Readonly<Record<string, readonly Downgrade[]>> = {
  // Its answers come without pages, and with sources that the domains leave out.
  linkup: [
    { field: "include_raw_content", reason: "unsupported_combination" },
    { field: "include_answer", reason: "domain_rules" },
  ],
};

describe.each(searchProviders.map(({ name, capabilities }) => [name, capabilities] as const))("%s", (name, able) => {
  test("answers a plain search", async () => {
    const { status, body } = await searchAt(gateway, { backend: name, query: "coffee brewing", max_results: 3 });
    expect(status).toBe(200);
    expect(body.results).toHaveLength(3);
    expect(body.results[0]).toMatchObject({
      title: "Brewing coffee by hand",
      url: "https://www.example.com/coffee/brewing",
      snippet: expect.stringContaining("Grind the beans"),
      content: null,
      score: 1,
      source: "www.example.com",
    });
    expect(body.usage).toEqual({ web_search_requests: 1, web_search_billable_units: able.units.basic });
    expect(body.route_receipt).toMatchObject({ selected_backend: name, chose_provider: name, downgrades: [] });
  });

  test("does, or reports, every field", async () => {
    const { status, body } = await searchAt(gateway, {
      backend: name,
      query: "coffee",
      region: "de",
      language: "de",
      time_range: "week",
      search_depth: "advanced",
      include_answer: true,
      include_raw_content: true,
      include_domains: ["example.net"],
      exclude_domains: ["old.example.net"],
    });
    expect(status).toBe(200);
    for (const { source } of body.results) expect(source).toBe("news.example.net");
    const fields = {
      region: able.country,
      language: able.language,
      time_range: able.timeRange,
      search_depth: able.depth,
      include_answer: able.answer,
      include_raw_content: able.rawContent,
    };
    const unable = Object.entries(fields).flatMap(([field, can]) =>
      can ? [] : [{ field, reason: "unsupported" as const }],
    );
    expect(body.route_receipt.downgrades).toEqual([...unable, ...(alsoDowngraded[name] ?? [])]);
  });

  test("says that it found nothing, and fails not", async () => {
    const { status, body } = await searchAt(gateway, { backend: name, query: "xylophone" });
    expect(status).toBe(200);
    expect(body.results).toEqual([]);
  });

  const testNews = able.news ? test : () => {};
  testNews("finds news with their dates", async () => {
    const { body } = await searchAt(gateway, { backend: name, query: "coffee harvest", type: "news" });
    expect(body.results[0]).toMatchObject({
      url: "https://news.example.net/2026/coffee-harvest",
      published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  // SearXNG has no keys.
  const testKey = name === "searxng" ? () => {} : test;
  testKey("has its own way to refuse a key", async () => {
    const { status, body } = await searchAt(gateway, { backend: `${name}-wrong` });
    expect({ status, code: body.error?.code }).toEqual({ status: 502, code: expect.any(String) });
    expect(gateway.sandbox.requests).toHaveLength(1);
  });
});

describe("what is charged", () => {
  const amountOf = async (body: Readonly<Record<string, unknown>>) => {
    const { headers, body: answer } = await searchAt(gateway, body);
    return [headers.get("x-service-amount-microusd"), answer.usage.web_search_billable_units];
  };

  test("is the units that Serper and Jina report", async () => {
    expect(await amountOf({ backend: "serper", max_results: 10 })).toEqual(["1000", 1]);
    expect(await amountOf({ backend: "serper", max_results: 11 })).toEqual(["2000", 2]);
    expect(await amountOf({ backend: "jina" })).toEqual(["1000", 1]);
    expect(await amountOf({ backend: "jina", type: "news" })).toEqual(["5000", 5]);
  });

  test("is the cost that Exa reports, if it is passed through", async () => {
    expect(await amountOf({ backend: "exa" })).toEqual(["7000", 1]);
    expect(await amountOf({ backend: "exa", search_depth: "advanced" })).toEqual(["12000", 1]);
  });
});

describe("what a vendor's error means is told by its body where the status does not", () => {
  const brave = (code: string) => ({ type: "ErrorResponse", error: { code, detail: "no" } });
  const engines = { results: [], unresponsive_engines: [["google", "timeout"]] };

  test.each([
    ["serper", 403, { message: "Unauthorized.", statusCode: 403 }, "failed_credential"],
    ["serper", 400, { message: "Not enough credits", statusCode: 400 }, "failed_quota"],
    ["serper", 400, { message: "Query pattern not allowed for free accounts" }, "unsupported_option"],
    ["exa", 402, { x402Version: 1, error: "X-PAYMENT header is required", accepts: [] }, "failed_credential"],
    ["exa", 402, { error: "No more credits", tag: "NO_MORE_CREDITS" }, "failed_quota"],
    ["exa", 503, { error: "busy", tag: "SERVICE_OVERLOADED" }, "failed_server"],
    ["brave", 422, brave("SUBSCRIPTION_TOKEN_INVALID"), "failed_credential"],
    ["brave", 422, brave("VALIDATION"), "unsupported_option"],
    ["brave", 429, brave("QUOTA_LIMITED"), "failed_quota"],
    ["brave", 429, brave("RATE_LIMITED"), "failed_rate_limit"],
    ["searxng", 403, "<html>Forbidden</html>", "failed_credential"],
    ["searxng", 200, engines, "failed_invalid_response"],
    ["searxng", 429, "Too Many Requests", "failed_rate_limit"],
    ["searxng", 302, "", "failed_server"],
    ["jina", 402, { code: 402, name: "InsufficientBalanceError", message: "no" }, "failed_quota"],
    ["jina", 409, { code: 409, name: "BudgetExceededError", message: "no" }, "failed_quota"],
    ["jina", 451, { code: 451, name: "SecurityCompromiseError", message: "no" }, "unsupported_option"],
    ["perplexity", 401, { error: { message: "no", type: "invalid_api_key", code: 401 } }, "failed_credential"],
    ["perplexity", 401, { error: { message: "no", type: "insufficient_quota", code: 401 } }, "failed_quota"],
  ] as const)("%s %i %j", async (name, status, body, reason) => {
    gateway.sandbox.setModel(`search/${name}@bad`, { fault: { kind: "status", status, body } });
    const answer = await searchAt(gateway, { backend: `${name}-bad` });
    expect(answer.status).toBe(200);
    expect(answer.body.route_receipt).toMatchObject({ chose_provider: "tavily" });
    expect(answer.body.route_receipt.rejected).toContainEqual({ backend: `${name}-bad`, reason });
  });

  test("nothing found is an answer of Jina, and not the next backend's", async () => {
    const body = { data: null, code: 422, message: "No search results available for query coffee" };
    gateway.sandbox.setModel("search/jina@bad", { fault: { kind: "status", status: 422, body } });
    const answer = await searchAt(gateway, { backend: "jina-bad" });
    expect(answer.body).toMatchObject({ results: [], route_receipt: { chose_provider: "jina", fallback_count: 0 } });
  });
});
