import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { searchAt } from "./search.testkit.ts";

/** Some providers call it an error if they find nothing. It is an answer, and no backend is asked instead. */

const names = ["linkup", "firecrawl", "parallel", "youcom", "serpapi"] as const;
const key = "key-that-nobody-may-see";
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    backends: (url) =>
      names.map((name) => ({
        id: `my-${name}`,
        provider: name,
        baseUrl: `${url}/search/${name}`,
        apiKeys: [key],
        prices: { web_search: 1_000 },
        allowFallback: true,
      })),
  });
});
beforeEach(() => {
  gateway.sandbox.reset();
  for (const name of names) gateway.sandbox.setModel(`search/${name}`, {});
});
afterAll(() => gateway.stop());

test.each(names)("%s finds pages", async (name) => {
  const { status, body } = await searchAt(gateway, { backend: name, include_domains: ["example.com"], max_results: 1 });
  expect(status).toBe(200);
  expect(body.results).toMatchObject([{ url: "https://www.example.com/coffee/brewing", source: "www.example.com" }]);
});

describe("a search that finds nothing", () => {
  test.each([
    // It bills no errors, and this is one to it.
    ["linkup", 0],
    ["firecrawl", 0],
    ["parallel", 1],
    ["youcom", 1],
    ["serpapi", 1],
  ] as const)("%s: an empty answer of %i units", async (name, units) => {
    const { status, body } = await searchAt(gateway, { backend: name, query: "xylophone" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: [],
      usage: { web_search_requests: 1, web_search_billable_units: units },
      route_receipt: { selected_backend: `my-${name}`, fallback_count: 0 },
    });
  });
});

test("a key that is part of the address is in no error", async () => {
  for (const fault of [
    { kind: "status", status: 500 },
    { kind: "status", status: 401, message: "Invalid API key." },
    { kind: "close" },
    { kind: "malformed_json" },
  ] as const) {
    for (const name of names) gateway.sandbox.setModel(`search/${name}`, { fault });
    const { status, body, headers } = await searchAt(gateway, { backend: "serpapi", include_provider_payload: true });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify([body, [...headers]])).not.toContain(key);
  }
});
