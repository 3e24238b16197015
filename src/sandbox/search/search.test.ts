import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "../server.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

async function tavily(body: object, key = "tvly-1", place = "tavily") {
  const response = await fetch(`${sandbox.url}/search/${place}/search`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("finds pages of the corpus, best first, within domains, type and count", async () => {
  const { status, body } = await tavily({ query: "coffee brewing", include_usage: true });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    answer: null,
    results: [{ url: "https://www.example.com/coffee/brewing", score: 1 }, {}, {}],
    usage: { credits: 1 },
  });
  const narrowed = await tavily({ query: "coffee", include_domains: ["example.com"], max_results: 1 });
  expect(narrowed.body.results).toHaveLength(1);
  const news = await tavily({ query: "coffee", topic: "news", time_range: "week" });
  expect(news.body.results).toMatchObject([{ url: "https://news.example.net/2026/coffee-harvest" }]);
  expect((await tavily({ query: "xylophone" })).body.results).toEqual([]);
});

test("refuses what the vendor refuses, in its form", async () => {
  expect(await tavily({ query: "q" }, "wrong-key")).toEqual({
    status: 401,
    body: { detail: { error: "Unauthorized: missing or invalid API key." } },
  });
  for (const bad of [
    { qeury: "x" },
    { topic: "x" },
    { max_results: 21 },
    { country: "DE" },
    { include_domains: ["a/b"] },
  ]) {
    expect((await tavily({ query: "q", ...bad })).status).toBe(400);
  }
});

test("has scripts by vendor, and by account", async () => {
  sandbox.setModel("search/tavily@spent", { fault: { kind: "status", status: 432, message: "limit" } });
  expect(await tavily({ query: "q" }, "tvly-1", "tavily@spent")).toEqual({
    status: 432,
    body: { detail: { error: "limit" } },
  });
  expect((await tavily({ query: "q" })).status).toBe(200);
});
