import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "../../server.ts";
import { callVendor } from "../vendor-client.testkit.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const ask = (parameters: Record<string, string>) =>
  callVendor(sandbox, "searxng", {
    method: "GET",
    path: `/search?${new URLSearchParams({ format: "json", ...parameters }).toString()}`,
  });

test("finds pages without a key, with scores above 1", async () => {
  const { body } = await ask({ q: "coffee brewing site:example.com", language: "de-DE" });
  expect(body).toMatchObject({
    results: [{ url: "https://www.example.com/coffee/brewing", score: 4, publishedDate: null }, {}],
    unresponsive_engines: [],
  });
});

test("finds news, with dates that have no zone", async () => {
  const { body } = await ask({ q: "coffee", categories: "news", time_range: "week" });
  expect(body).toMatchObject({
    results: [{ category: "news", publishedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/) }],
  });
});

test.each([
  [{ q: " " }, 400, "No query"],
  [{ q: "q", time_range: "fortnight" }, 400, 'Invalid value "fortnight" for parameter time_range'],
  [{ q: "q", language: "xx_YY" }, 400, 'Invalid value "xx_YY" for parameter language'],
  [{ q: "q", pageno: "0" }, 400, 'Invalid value "0" for parameter pageno'],
  [{ q: "q", count: "5" }, 400, "Unknown parameter: count"],
  [{ q: "q", format: "html" }, 403, "Forbidden"],
  [{ q: "coffee !!g" }, 302, "Found"],
])("refuses %j", async (parameters, status, error) => {
  expect(await ask(parameters)).toEqual({ status, body: { error } });
});

test("can answer that its engines failed", async () => {
  const failed = { results: [], unresponsive_engines: [["google", "timeout"]] };
  sandbox.setModel("search/searxng", { usage: failed });
  expect(await ask({ q: "coffee" })).toMatchObject({ status: 200, body: failed });
});
