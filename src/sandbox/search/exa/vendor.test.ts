import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "../../server.ts";
import { callVendor } from "../vendor-client.testkit.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const ask = (body: object, headers: Record<string, string> = { "x-api-key": "k" }, place = "exa") =>
  callVendor(sandbox, place, { path: "/search", headers, body });

test("returns titles and addresses alone unless contents are asked for, and says what it cost", async () => {
  const bare = await ask({ query: "coffee brewing", numResults: 1 });
  expect(bare.body).toMatchObject({
    results: [{ url: "https://www.example.com/coffee/brewing", score: 1 }],
    costDollars: { total: 0.007 },
  });
  expect(bare.body).not.toHaveProperty("results.0.highlights");
  const contents = { highlights: true, text: true };
  const deep = await ask({ query: "coffee brewing", type: "deep", contents, includeDomains: ["example.com"] });
  expect(deep.body).toMatchObject({
    results: [{ highlights: [expect.any(String), expect.any(String)], text: expect.stringContaining("# ") }, {}],
    costDollars: { total: 0.012 },
  });
  expect(deep.body).not.toHaveProperty("results.0.score");
});

test("finds news since a moment", async () => {
  const startPublishedDate = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const { body } = await ask({ query: "coffee", category: "news", startPublishedDate });
  expect(body.results).toMatchObject([{ publishedDate: expect.stringMatching(/Z$/) }]);
});

test("demands payment without a key, and refuses a wrong one", async () => {
  expect(await ask({ query: "q" }, {})).toMatchObject({ status: 402, body: { x402Version: 1, accepts: [{}] } });
  expect(await ask({ query: "q" }, { authorization: "Bearer wrong" })).toMatchObject({
    status: 401,
    body: { error: "Invalid API key", tag: "INVALID_API_KEY" },
  });
});

test.each([
  [{}, "INVALID_REQUEST_BODY"],
  [{ query: "q", numResults: 101 }, "NUM_RESULTS_EXCEEDED"],
  [{ query: "q", type: "basic" }, "INVALID_REQUEST_BODY"],
  [{ query: "q", category: "blog" }, "INVALID_REQUEST_BODY"],
  [{ query: "q", userLocation: "de" }, "INVALID_REQUEST_BODY"],
  [{ query: "q", startPublishedDate: "week" }, "INVALID_REQUEST_BODY"],
  [{ query: "q", category: "company", startPublishedDate: "2026-01-01" }, "INVALID_REQUEST_BODY"],
  [{ query: "q", contents: true }, "INVALID_REQUEST_BODY"],
  [{ query: "q", contents: { snippet: true } }, "INVALID_REQUEST_BODY"],
  [{ query: "q", max_results: 5 }, "INVALID_REQUEST_BODY"],
])("refuses %j", async (body, tag) => {
  expect(await ask(body)).toMatchObject({ status: 400, body: { tag } });
});

test.each([
  [402, undefined, "NO_MORE_CREDITS"],
  [402, "API_KEY_BUDGET_EXCEEDED", "API_KEY_BUDGET_EXCEEDED"],
  [503, undefined, "SERVICE_OVERLOADED"],
])("can fail with %i %p", async (status, code, tag) => {
  sandbox.setModel("search/exa", { fault: { kind: "status", status, message: "m", ...(code && { code }) } });
  expect(await ask({ query: "q" })).toMatchObject({ status, body: { error: "m", tag } });
});
