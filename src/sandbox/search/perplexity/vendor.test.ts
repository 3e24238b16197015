import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "../../server.ts";
import { callVendor } from "../vendor-client.testkit.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const ask = (body: object, key = "pplx-1") =>
  callVendor(sandbox, "perplexity", { path: "/search", headers: { authorization: `Bearer ${key}` }, body });

test("finds pages with long extracts, and days as dates", async () => {
  const { body } = await ask({ query: "coffee harvest", search_recency_filter: "week", country: "DE" });
  expect(body).toMatchObject({
    id: expect.any(String),
    results: [{ snippet: expect.stringMatching(/^# /), date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) }],
  });
  expect((await ask({ query: "xylophone" })).body).toMatchObject({ results: [] });
});

test("keeps to one list of domains", async () => {
  const urls = async (search_domain_filter: string[]) =>
    JSON.stringify((await ask({ query: "coffee", search_domain_filter })).body);
  expect(await urls(["sprache.example.de", "news.example.net"])).not.toContain("www.example.com");
  expect(await urls(["-www.example.com"])).not.toContain("www.example.com");
  expect(await urls(["-www.example.com"])).toContain("news.example.net");
});

test.each(["", "wrong-1"])("refuses the key '%s'", async (key) => {
  expect(await ask({ query: "q" }, key)).toMatchObject({
    status: 401,
    body: { error: { type: "invalid_api_key", code: 401 } },
  });
});

test.each([
  [{}],
  [{ query: "q", max_results: 21 }],
  [{ query: "q", country: "de" }],
  [{ query: "q", search_language_filter: ["pt-BR"] }],
  [{ query: "q", search_language_filter: "pt" }],
  [{ query: "q", search_recency_filter: "fortnight" }],
  [{ query: "q", search_after_date_filter: "2026-11-01" }],
  [{ query: "q", search_recency_filter: "day", search_after_date_filter: "11/01/2026" }],
  [{ query: "q", search_domain_filter: ["a.test", "-b.test"] }],
  [{ query: "q", search_domain_filter: Array.from({ length: 21 }, (_, place) => `a${place}.test`) }],
  [{ query: "q", search_domain_filter: ["https://a.test"] }],
  [{ query: "q", topic: "news" }],
])("refuses %j", async (body) => {
  expect(await ask(body)).toMatchObject({ status: 400, body: { error: { type: "invalid_request", code: 400 } } });
});

test.each([
  [401, "insufficient_quota", "insufficient_quota"],
  [429, undefined, "rate_limit_exceeded"],
  [500, undefined, "internal_error"],
])("can fail with %i %p", async (status, code, type) => {
  sandbox.setModel("search/perplexity", { fault: { kind: "status", status, message: "m", ...(code && { code }) } });
  expect(await ask({ query: "q" })).toEqual({ status, body: { error: { message: "m", type, code: status } } });
});
