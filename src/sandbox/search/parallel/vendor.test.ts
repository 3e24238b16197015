import { afterAll, beforeAll, expect, test } from "bun:test";
import { startVendor } from "../vendor.testkit.ts";

let vendor: Awaited<ReturnType<typeof startVendor>>;
beforeAll(async () => void (vendor = await startVendor("parallel")));
afterAll(() => vendor.sandbox.stop());

const ask = (body: object, key = "key-1", account = "") =>
  vendor.ask("/v1/search", { body, account, headers: { "x-api-key": key } });

test("gives excerpts, days and usage", async () => {
  const source_policy = {
    include_domains: ["example.net"],
    after_date: "2026-01-01",
    exclude_domains: ["example.net"],
  };
  const { body } = await ask({ search_queries: ["coffee"], advanced_settings: { source_policy, location: "de" } });
  expect(body).toMatchObject({
    results: [
      { url: "https://news.example.net/2026/coffee-harvest", publish_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    ],
    warnings: null,
    usage: [{ name: "sku_search", count: 1 }],
  });
});

test("warns of a country that it does not know", async () => {
  const { body } = await ask({ search_queries: ["coffee"], advanced_settings: { location: "uk" } });
  expect(body).toMatchObject({ warnings: [{ message: "The location 'uk' is not supported and was ignored." }] });
});

test.each([
  { search_queries: [] },
  { search_queries: "coffee" },
  { search_queries: Array(6).fill("coffee") },
  { search_queries: ["x".repeat(201)] },
  { objective: "x".repeat(5_001) },
  { mode: "standard" },
  { max_results: 5 },
  { source_policy: {} },
  { processor: "base" },
  { advanced_settings: { max_results: 21 } },
  { advanced_settings: { country: "de" } },
  { advanced_settings: { source_policy: { after_date: "week" } } },
  {
    advanced_settings: {
      source_policy: { include_domains: Array(101).fill("a.test"), exclude_domains: Array(100).fill("b.test") },
    },
  },
])("refuses %j", async (change) => {
  expect(await ask({ search_queries: ["coffee"], ...change })).toMatchObject({
    status: 422,
    body: { type: "error", error: { ref_id: expect.any(String), message: expect.any(String) } },
  });
});

test("refuses a key, and has the errors of accounts", async () => {
  expect((await ask({ search_queries: ["q"] }, "wrong")).status).toBe(401);
  vendor.sandbox.setModel("search/parallel@spent", { fault: { kind: "status", status: 402, message: "m" } });
  expect(await ask({ search_queries: ["q"] }, "key-1", "@spent")).toEqual({
    status: 402,
    body: { type: "error", error: { ref_id: "sandbox", message: "m", detail: null } },
  });
});
