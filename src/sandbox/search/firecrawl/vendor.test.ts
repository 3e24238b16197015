import { afterAll, beforeAll, expect, test } from "bun:test";
import { startVendor } from "../vendor.testkit.ts";

let vendor: Awaited<ReturnType<typeof startVendor>>;
beforeAll(async () => void (vendor = await startVendor("firecrawl")));
afterAll(() => vendor.sandbox.stop());

const ask = (body: object, authorization = "Bearer fc-1", account = "") =>
  vendor.ask("/v2/search", { body, account, headers: { authorization } });

test("gives results of the web, of news, and pages, and counts its credits", async () => {
  expect((await ask({ query: "coffee", includeDomains: ["example.com"], limit: 1, tbs: "qdr:y" })).body).toMatchObject({
    success: true,
    data: { web: [] },
    creditsUsed: 0,
  });
  expect((await ask({ query: "coffee", sources: ["news"], tbs: "qdr:d" })).body).toMatchObject({
    data: { news: [{ url: "https://news.example.net/2026/coffee-harvest", date: "3 days ago" }] },
    creditsUsed: 2,
  });
  const scraped = await ask({ query: "brewing", limit: 1, scrapeOptions: { formats: ["markdown"] } });
  expect(scraped.body).toMatchObject({ data: { web: [{ markdown: expect.any(String) }] }, creditsUsed: 3 });
});

test("answers without a key, but not with a wrong one", async () => {
  expect((await ask({ query: "coffee" }, "")).status).toBe(200);
  expect(await ask({ query: "coffee" }, "Bearer wrong")).toEqual({
    status: 401,
    body: { success: false, error: "Unauthorized: Invalid token" },
  });
});

test.each([
  { query: "x".repeat(501) },
  { limit: 101 },
  { sources: ["videos"] },
  { sources: "web" },
  { includeDomains: ["a.test"], excludeDomains: ["b.test"] },
  { includeDomains: ["https://a.test/"] },
  { country: "Germany" },
  { tbs: "week" },
  { scrapeOptions: {} },
  { max_results: 5 },
])("refuses %j", async (change) => {
  expect(await ask({ query: "coffee", ...change })).toMatchObject({
    status: 400,
    body: { success: false, code: "BAD_REQUEST", details: [{ path: [Object.keys(change)[0]] }] },
  });
});

test("has the errors of accounts", async () => {
  vendor.sandbox.setModel("search/firecrawl@spent", { fault: { kind: "status", status: 402, message: "m" } });
  expect(await ask({ query: "q" }, "Bearer fc-1", "@spent")).toEqual({
    status: 402,
    body: { success: false, error: "m" },
  });
});
