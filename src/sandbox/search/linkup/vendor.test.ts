import { afterAll, beforeAll, expect, test } from "bun:test";
import { startVendor } from "../vendor.testkit.ts";

let vendor: Awaited<ReturnType<typeof startVendor>>;
beforeAll(async () => void (vendor = await startVendor("linkup")));
afterAll(() => vendor.sandbox.stop());

const plain = { q: "coffee", depth: "standard", outputType: "searchResults" };
const ask = (body: object, key = "key-1", account = "") =>
  vendor.ask("/v1/search", { body, account, headers: { authorization: `Bearer ${key}` } });

test("gives results, or an answer with sources", async () => {
  const { body } = await ask({ ...plain, maxResults: 1, includeDomains: ["example.com"] });
  expect(body).toMatchObject({ results: [{ type: "text", url: "https://www.example.com/coffee/brewing" }] });
  const answered = await ask({ ...plain, outputType: "sourcedAnswer", maxResults: 2, fromDate: "2020-01-01" });
  expect(answered.body).toMatchObject({ answer: expect.any(String), sources: [{ snippet: expect.any(String) }, {}] });
});

test("calls it an error if nothing is found", async () => {
  expect(await ask({ ...plain, q: "xylophone" })).toMatchObject({
    status: 400,
    body: { statusCode: 400, error: { code: "SEARCH_QUERY_NO_RESULT" } },
  });
});

test.each([
  { depth: "basic" },
  { depth: undefined },
  { outputType: undefined },
  { structuredOutputSchema: undefined, outputType: "structured" },
  { q: " " },
  { query: "coffee" },
  { maxResults: 0 },
  { includeDomains: ["https://example.com"] },
  { includeDomains: Array(101).fill("a.test") },
  { fromDate: "last week" },
  { fromDate: "2026-02-02", toDate: "2026-02-01" },
])("refuses %j", async (change) => {
  expect(await ask({ ...plain, ...change })).toMatchObject({
    status: 400,
    body: { statusCode: 400, error: { code: "VALIDATION_ERROR", details: [{ field: Object.keys(change)[0] }] } },
  });
});

test("refuses a key, and has the errors of accounts", async () => {
  expect(await ask(plain, "wrong")).toMatchObject({ status: 401, body: { error: { code: "UNAUTHORIZED" } } });
  const fault = { kind: "status", status: 429, message: "m", code: "INSUFFICIENT_FUNDS_CREDITS" } as const;
  vendor.sandbox.setModel("search/linkup@spent", { fault });
  expect(await ask(plain, "key-1", "@spent")).toEqual({
    status: 429,
    body: { statusCode: 429, error: { code: "INSUFFICIENT_FUNDS_CREDITS", message: "m", details: [] } },
  });
});
