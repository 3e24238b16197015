import { afterAll, beforeAll, expect, test } from "bun:test";
import { startVendor } from "../vendor.testkit.ts";

let vendor: Awaited<ReturnType<typeof startVendor>>;
beforeAll(async () => void (vendor = await startVendor("youcom")));
afterAll(() => vendor.sandbox.stop());

const ask = (body: object, key = "key-1", account = "") =>
  vendor.ask("/v1/search", { body, account, headers: { "x-api-key": key } });

test("gives pages, and news if there are some", async () => {
  const { body } = await ask({ query: "coffee", livecrawl: "news", livecrawl_formats: ["markdown"], language: "DE" });
  expect(body).toMatchObject({
    results: {
      web: [
        { url: "https://www.example.com/coffee/brewing", snippets: [expect.any(String), expect.any(String)] },
        {},
        {},
      ],
      news: [
        {
          url: "https://news.example.net/2026/coffee-harvest",
          page_age: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
          contents: { markdown: expect.any(String) },
        },
      ],
    },
  });
  expect((await ask({ query: "tomatoes" })).body.results).not.toHaveProperty("news");
  expect((await ask({ query: "coffee", freshness: "2026-01-01to2026-12-31" })).status).toBe(200);
});

test.each([
  { query: "" },
  { q: "coffee" },
  { count: 101 },
  { offset: 10 },
  { country: "SG" },
  { country: "de" },
  { language: "de" },
  { language: "SW" },
  { freshness: "decade" },
  { freshness: "2026-02-30to2026-03-xx" },
  { livecrawl: true },
  { livecrawl_formats: "markdown" },
  { include_domains: Array(501).fill("a.test") },
  { include_domains: ["a.test"], exclude_domains: ["b.test"] },
  { include_domains: ["a.test"], boost_domains: ["b.test"] },
])("refuses %j", async (change) => {
  expect(await ask({ query: "coffee", ...change })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", Object.keys(change)[0]] }] },
  });
});

test("refuses a key, and has the errors of accounts", async () => {
  expect(await ask({ query: "q" }, "wrong")).toEqual({ status: 401, body: { detail: "Invalid or expired API key" } });
  vendor.sandbox.setModel("search/youcom@scoped", { fault: { kind: "status", status: 403, message: "m" } });
  expect(await ask({ query: "q" }, "key-1", "@scoped")).toEqual({ status: 403, body: { detail: "m" } });
});
