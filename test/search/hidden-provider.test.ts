import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { fetchAt } from "./fetch.testkit.ts";
import { searchAt } from "./search.testkit.ts";

/** With `hide_provider`, callers cannot see which provider has searched. */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    server: { hideProvider: true },
    backends: (url) => [{ id: "main", provider: "tavily", baseUrl: `${url}/search/tavily`, apiKeys: ["k"] }],
  });
});
afterAll(() => gateway.stop());

test("neither answers nor records of searches and fetches name it", async () => {
  const searched = await searchAt(gateway, { include_provider_payload: true });
  const fetched = await fetchAt(gateway, { urls: ["https://www.example.com/coffee/brewing"] });
  expect([searched.status, fetched.status]).toEqual([200, 200]);
  for (const { body } of [searched, fetched]) {
    const record = await gateway.record(body.id);
    expect(record).toMatchObject({ status: "succeeded", provider_usage: { family: "none", raw_fields: {} } });
    expect(JSON.stringify([body, record])).not.toMatch(/tavily|credits/);
  }
});
