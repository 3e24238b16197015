import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { codesOf, fetchAt } from "./fetch.testkit.ts";
import { lastCall } from "./search.testkit.ts";

const names = ["tavily", "exa", "jina", "firecrawl", "parallel"] as const;
const brewing = "https://www.example.com/coffee/brewing";
const roasting = "https://www.example.com/coffee/roasting";
const missing = "https://www.example.com/nothing-here";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    backends: (url) => [
      ...names.map((name) => ({
        id: `my-${name}`,
        provider: name,
        baseUrl: `${url}/search/${name}`,
        apiKeys: ["key"],
        timeoutMs: 2_000,
        prices: { web_search: 1_000 },
      })),
      { id: "my-serper", provider: "serper", baseUrl: `${url}/search/serper`, apiKeys: ["key"] },
      { id: "off", provider: "tavily", baseUrl: `${url}/search/tavily`, apiKeys: ["key"], enabled: false },
    ],
  });
});
beforeEach(() => {
  gateway.sandbox.reset();
  for (const name of [...names, "serper"]) gateway.sandbox.setModel(`search/${name}`, {});
});
afterAll(() => gateway.stop());

describe.each(names)("%s", (name) => {
  test("gives a page or an error for each address, in the caller's order", async () => {
    const urls = [missing, brewing, roasting, brewing, `${roasting}/`, "http://127.0.0.1/"];
    const { status, headers, body } = await fetchAt(gateway, { urls, backend: name });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: "fetch",
      id: headers.get("x-service-request-id"),
      usage: { web_fetch_requests: 1 },
      provider_trace: { backend: name, attempts: 1, latency_ms: expect.any(Number) },
      route_receipt: {
        selection: "explicit",
        selected_backend: `my-${name}`,
        chose_provider: name,
        candidates: [`my-${name}`],
        rejected: [],
        downgraded: false,
        downgrades: [],
        emulated: [],
        fallback_count: 0,
        decision_reason: "explicit",
      },
    });
    expect(body.results.map(({ url }) => url)).toEqual(urls);
    expect(codesOf(body)).toEqual(["not_found", null, null, null, null, "private_address"]);
    expect(body.results[1]).toEqual({
      url: brewing,
      title: "Brewing coffee by hand",
      content: expect.stringMatching(/^# Brewing coffee by hand\n\nGrind the beans/),
      error: null,
    });
    expect(body.results[2]?.title).toBe("Roasting coffee at home");
    expect(body.results[0]).toEqual({
      url: missing,
      title: null,
      content: null,
      error: { code: "not_found", message: "There is no such page." },
    });
  });

  test("an address that redirects must end where the key may fetch", async () => {
    const to = (url: string) => `https://www.example.com/redirect?to=${encodeURIComponent(url)}`;
    const { key } = await gateway.newKey({ scopes: { domains: ["example.com"] } });
    const urls = [to("https://evil.example.net/"), to("http://169.254.169.254/"), to(roasting), "https://example.net/"];
    const { body } = await fetchAt(gateway, { urls, backend: name }, { authorization: `Bearer ${key}` });
    // Tavily and Parallel name no other address than the one that was asked for.
    const namesTarget = name !== "tavily" && name !== "parallel";
    expect(codesOf(body)).toEqual([
      namesTarget ? "domain_not_allowed" : null,
      namesTarget ? "private_address" : null,
      null,
      "domain_not_allowed",
    ]);
    for (const { content, error } of body.results) expect(content === null).toBe(error !== null);
  });

  test("a page that is late has its own error, and the others are there", async () => {
    const { status, body } = await fetchAt(gateway, { urls: ["https://www.example.com/slow", brewing], backend: name });
    expect(status).toBe(200);
    expect(codesOf(body)).toEqual(["timeout", null]);
  });

  test("pages that all fail are an answer, and free unless the provider charges for them", async () => {
    const { status, headers, body } = await fetchAt(gateway, { urls: [missing], backend: name });
    expect([status, codesOf(body)]).toEqual([200, ["not_found"]]);
    const units = name === "firecrawl" ? 1 : 0;
    expect(body.usage.web_fetch_billable_units).toBe(units);
    const record = await gateway.record(headers.get("x-service-request-id"));
    expect(record.billing.amount_microusd).toBe(units * 1_000);
  });

  test("text in place of Markdown, or a downgrade", async () => {
    const { headers, body } = await fetchAt(gateway, { urls: [brewing], format: "text", backend: name });
    const isNative = name === "tavily" || name === "jina";
    expect(body.results[0]?.content?.startsWith("# ")).toBe(!isNative);
    expect(body.route_receipt.downgrades).toEqual(isNative ? [] : [{ field: "format", reason: "unsupported" }]);
    expect(headers.get("x-service-warnings")).toBe(isNative ? null : "format");
  });

  test.each([
    [{ kind: "status", status: 401 }, 502, "upstream_error"],
    [{ kind: "status", status: 402 }, 502, "upstream_error"],
    [{ kind: "status", status: 429 }, 429, "provider_rate_limit"],
    [{ kind: "status", status: 500 }, 502, "upstream_error"],
    [{ kind: "close" }, 502, "upstream_unreachable"],
    [{ kind: "malformed_json" }, 502, "upstream_invalid_response"],
    [{ kind: "stall", at: "headers" }, 504, expect.stringContaining("_timeout")],
  ] as const)("a fault of the provider's for all pages: %j", async (fault, code, error) => {
    const own = await startTestGateway({
      backends: (url) => [
        { id: "one", provider: name, baseUrl: `${url}/search/${name}`, apiKeys: ["key"], timeoutMs: 600 },
      ],
    });
    own.sandbox.setModel(`search/${name}`, { fault });
    const { status, headers, body } = await fetchAt(own, { urls: [brewing, roasting], backend: "one" });
    expect([status, body.error?.code]).toEqual([code, error]);
    const record = await own.record(headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "failed", billing: { status: "refunded", amount_microusd: 0 } });
    await own.stop();
  });
});

test("the next backend is asked if one fails, and those that cannot fetch are rejected", async () => {
  for (const name of names.slice(0, -1)) {
    gateway.sandbox.setModel(`search/${name}`, { fault: { kind: "status", status: 500 } });
  }
  const { status, body } = await fetchAt(gateway, { urls: [brewing] });
  expect(status).toBe(200);
  expect(codesOf(body)).toEqual([null]);
  expect(body.route_receipt.selection).toBe("auto");
  expect(body.route_receipt.rejected).toContainEqual({ backend: "my-serper", reason: "unsupported_option" });
  expect(body.route_receipt.rejected).toContainEqual({ backend: "off", reason: "disabled" });
  expect(body.route_receipt.candidates.toSorted()).toEqual(names.map((name) => `my-${name}`).toSorted());
});

test("what the format needs comes first under auto", async () => {
  const { body } = await fetchAt(gateway, { urls: [brewing], format: "text" });
  expect(["my-tavily", "my-jina"]).toContain(body.route_receipt.selected_backend ?? "");
});

test("a backend that cannot fetch is a 503, and one that does not exist a 404", async () => {
  const unable = await fetchAt(gateway, { urls: [brewing], backend: "my-serper" });
  expect([unable.status, unable.body.error?.code]).toEqual([503, "no_target_available"]);
  const record = await gateway.record(unable.headers.get("x-service-request-id"));
  expect(record.route_receipt).toMatchObject({ rejected: [{ backend: "my-serper", reason: "unsupported_option" }] });
  for (const backend of ["nobody", "off"]) {
    const unknown = await fetchAt(gateway, { urls: [brewing], backend });
    expect([unknown.status, unknown.body.error?.code]).toEqual([404, "backend_not_found"]);
  }
});

test("nobody is asked for addresses that may not be fetched, and they cost nothing", async () => {
  const { status, headers, body } = await fetchAt(gateway, { urls: ["http://localhost/", "ftp://example.com/"] });
  expect([status, codesOf(body)]).toEqual([200, ["private_address", "invalid_url"]]);
  expect(body.provider_trace).toMatchObject({ backend: null, attempts: 0 });
  expect(body.route_receipt).toMatchObject({ selected_backend: null, decision_reason: "none" });
  expect(gateway.sandbox.requests).toHaveLength(0);
  const record = await gateway.record(headers.get("x-service-request-id"));
  expect(record).toMatchObject({ status: "succeeded", billing: { amount_microusd: 0 }, routing: { attempts: 0 } });
});

test("a provider is asked for no address that may not be fetched", async () => {
  await fetchAt(gateway, { urls: ["http://10.0.0.1/", brewing, "http://[::1]/"], backend: "tavily" });
  expect(lastCall(gateway).urls).toEqual([brewing]);
});

test("the record is that of a search", async () => {
  const { headers } = await fetchAt(gateway, { urls: [brewing, roasting], backend: "firecrawl" });
  expect(headers.get("x-service-amount-microusd")).toBe("2000");
  expect(await gateway.record(headers.get("x-service-request-id"))).toMatchObject({
    status: "succeeded",
    model: "firecrawl",
    endpoint: "/v1/fetch",
    usage: {
      measurement: null,
      prompt_tokens: 0,
      dimensions: [{ name: "web_search", quantity: 2, unit: "search_unit" }],
    },
    billing: {
      status: "charged",
      amount_microusd: 2_000,
      line_items: [{ dimension: "web_search", quantity: 2, amount_microusd: 2_000 }],
    },
    routing: { resolved_model: "my-firecrawl", chose_provider: "firecrawl", attempts: 1 },
    route_receipt: { selected_backend: "my-firecrawl" },
    provider_usage: { family: "firecrawl", raw_fields: { calls: [{ creditsUsed: 1 }, { creditsUsed: 1 }] } },
  });
});

test("is explained and quoted without being made", async () => {
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await gateway.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return [response.status, await response.json()] as const;
  };
  const urls = Array.from({ length: 6 }, (_, index) => `${brewing}?${index}`);
  expect(await post("/api/routes/explain?endpoint=fetch", { urls, backend: "tavily" })).toMatchObject([
    200,
    { chosen: { model: "my-tavily" }, estimated_amount_microusd: 2_000 },
  ]);
  expect(await post("/api/quote", { path: "/v1/fetch", body: { urls, backend: "jina" } })).toMatchObject([
    200,
    { estimated: { amount_microusd: 6_000 }, greatest: { amount_microusd: 120_000 } },
  ]);
  expect(gateway.sandbox.requests).toHaveLength(0);
});

test("a key needs the scope", async () => {
  const { key } = await gateway.newKey({ scopes: { endpoints: ["search"] } });
  const refused = await fetchAt(gateway, { urls: [brewing] }, { authorization: `Bearer ${key}` });
  expect([refused.status, refused.body.error?.code]).toEqual([403, "endpoint_not_allowed"]);
  const { key: able } = await gateway.newKey({ scopes: { endpoints: ["fetch"] } });
  expect((await fetchAt(gateway, { urls: [brewing] }, { authorization: `Bearer ${able}` })).status).toBe(200);
});

test("pages are cut, and what is larger than an answer may be is not read", async () => {
  const long = (characters: number) => `https://www.example.com/long?characters=${characters}`;
  for (const backend of ["tavily", "firecrawl"]) {
    const { body } = await fetchAt(gateway, { urls: [long(1_100_000)], backend });
    expect(body.results[0]?.content).toHaveLength(1_000_000);
  }
  const jina = await fetchAt(gateway, { urls: [long(1_100_000), brewing], backend: "jina" });
  expect(codesOf(jina.body)).toEqual(["too_large", null]);
  const firecrawl = await fetchAt(gateway, { urls: [brewing, long(9_000_000)], backend: "firecrawl" });
  expect(codesOf(firecrawl.body)).toEqual([null, "too_large"]);
  const tavily = await fetchAt(gateway, { urls: [brewing, long(9_000_000)], backend: "tavily" });
  expect([tavily.status, tavily.body.error?.code]).toEqual([502, "upstream_invalid_response"]);
});

describe("bad input", () => {
  const url = brewing;
  test.each<[body: Record<string, unknown>, code: string, param: string]>([
    [{}, "missing_parameter", "urls"],
    [{ urls: null }, "missing_parameter", "urls"],
    [{ urls: [] }, "invalid_parameter", "urls"],
    [{ urls: url }, "invalid_parameter", "urls"],
    [{ urls: Array(21).fill(url) }, "invalid_parameter", "urls"],
    [{ urls: [url, 1] }, "invalid_parameter", "urls[1]"],
    [{ urls: [null] }, "invalid_parameter", "urls[0]"],
    [{ urls: [" "] }, "invalid_parameter", "urls[0]"],
    [{ urls: [`${url}?${"x".repeat(10_000)}`] }, "invalid_parameter", "urls[0]"],
    [{ urls: [url], format: "html" }, "invalid_parameter", "format"],
    [{ urls: [url], format: 1 }, "invalid_parameter", "format"],
    [{ urls: [url], backend: 1 }, "invalid_parameter", "backend"],
    [{ urls: [url], backend: " " }, "invalid_parameter", "backend"],
  ])("%j", async (body, code, param) => {
    const { status, body: answer } = await fetchAt(gateway, body);
    expect([status, answer.error?.code, answer.error?.param]).toEqual([400, code, param]);
    expect(gateway.sandbox.requests).toHaveLength(0);
  });

  test("null counts as absent, and unknown fields are warned of", async () => {
    const { status, headers } = await fetchAt(gateway, { urls: [url], format: null, backend: null, depth: 2, x: null });
    expect(status).toBe(200);
    expect(headers.get("x-service-warnings")).toBe("depth");
  });

  test("an address that is named twice is fetched once", async () => {
    const { body } = await fetchAt(gateway, { urls: [url, url.replace("www", "WWW"), url], backend: "tavily" });
    expect(codesOf(body)).toEqual([null, null, null]);
    expect(lastCall(gateway).urls).toEqual([url]);
  });
});

test("a newcomer's first fetch needs no configuration", async () => {
  const first = await startTestGateway();
  const { status, body } = await fetchAt(first, { urls: [brewing] });
  expect([status, body.results[0]?.title]).toEqual([200, "Brewing coffee by hand"]);
  await first.stop();
});
