import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "../../server.ts";
import { callVendor } from "../vendor-client.testkit.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const ask = (parameters: Record<string, string>, kind = "web", key: string | null = "k") =>
  callVendor(sandbox, "brave", {
    method: "GET",
    path: `/${kind}/search?${new URLSearchParams(parameters).toString()}`,
    headers: key === null ? {} : { "x-subscription-token": key },
  });

test("marks words and escapes text, unless it is told not to mark", async () => {
  const { body } = await ask({ q: "typescript narrowing", count: "1" });
  expect(body).toMatchObject({
    type: "search",
    web: { results: [{ description: expect.stringMatching(/^<strong>A<\/strong> .*&#x27;string&#x27;/) }] },
  });
  const plain = await ask({ q: "typescript narrowing", text_decorations: "false" });
  expect(JSON.stringify(plain.body)).not.toContain("<strong>");
});

test("has no list without results, or if it is filtered out", async () => {
  expect((await ask({ q: "xylophone" })).body).not.toHaveProperty("web");
  expect((await ask({ q: "coffee", result_filter: "news" })).body).not.toHaveProperty("web");
});

test("finds news, with dates that have no zone", async () => {
  const { body } = await ask({ q: "coffee", freshness: "pw", country: "ALL", search_lang: "zh-hans" }, "news");
  expect(body).toMatchObject({
    type: "news",
    results: [{ age: "3 days ago", page_age: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/) }],
  });
});

test("keeps to sites", async () => {
  const { body } = await ask({ q: "Kaffee site:sprache.example.de" });
  expect(body).toMatchObject({ web: { results: [{ url: "https://sprache.example.de/kaffee" }] } });
});

test("refuses a missing and a wrong key with 422", async () => {
  expect(await ask({ q: "q" }, "web", null)).toMatchObject({
    status: 422,
    body: { error: { code: "VALIDATION", meta: { errors: [{ loc: ["header", "x-subscription-token"] }] } } },
  });
  expect(await ask({ q: "q" }, "web", "wrong")).toMatchObject({
    status: 422,
    body: { error: { code: "SUBSCRIPTION_TOKEN_INVALID", status: 422 } },
  });
});

test.each([
  [{}, "web"],
  [{ q: "a".repeat(401) }, "web"],
  [{ q: "a ".repeat(51) }, "web"],
  [{ q: "q", count: "21" }, "web"],
  [{ q: "q", count: "51" }, "news"],
  [{ q: "q", offset: "10" }, "web"],
  [{ q: "q", country: "SG" }, "web"],
  [{ q: "q", country: "de" }, "web"],
  [{ q: "q", search_lang: "ja" }, "web"],
  [{ q: "q", search_lang: "zh" }, "web"],
  [{ q: "q", ui_lang: "en" }, "web"],
  [{ q: "q", freshness: "week" }, "web"],
  [{ q: "q", result_filter: "web" }, "news"],
  [{ q: "q", max_results: "5" }, "web"],
])("refuses %j of %s", async (parameters, kind) => {
  expect(await ask(parameters, kind)).toMatchObject({ status: 422, body: { error: { code: "VALIDATION" } } });
});

test.each([
  [429, "RATE_LIMITED"],
  [429, "QUOTA_LIMITED"],
  [404, "SUBSCRIPTION_NOT_FOUND"],
])("can fail with %i %s", async (status, code) => {
  sandbox.setModel("search/brave", { fault: { kind: "status", status, code, message: "m" } });
  expect(await ask({ q: "q" })).toMatchObject({ status, body: { error: { code, detail: "m" } } });
});
