import { afterAll, beforeAll, expect, test } from "bun:test";
import { startVendor } from "../vendor.testkit.ts";

let vendor: Awaited<ReturnType<typeof startVendor>>;
beforeAll(async () => void (vendor = await startVendor("serpapi")));
afterAll(() => vendor.sandbox.stop());

const plain = { engine: "google", q: "coffee", api_key: "key-1" };
const ask = (parameters: Readonly<Record<string, string>>, account = "") =>
  vendor.ask(`/search.json?${new URLSearchParams(parameters).toString()}`, { account });

test("gives a page of results, or of news, within sites", async () => {
  expect(
    (await ask({ ...plain, q: "coffee (site:example.com OR site:example.de) -site:example.de" })).body,
  ).toMatchObject({
    search_metadata: { status: "Success" },
    organic_results: [{ position: 1, link: "https://www.example.com/coffee/brewing" }, {}],
  });
  expect((await ask({ ...plain, tbm: "nws", tbs: "qdr:w", gl: "de", hl: "pt-br" })).body).toMatchObject({
    news_results: [{ link: "https://news.example.net/2026/coffee-harvest", date: "3 days ago" }],
  });
});

test("calls it an error in a good answer if nothing is found", async () => {
  const { status, body } = await ask({ ...plain, q: "xylophone" });
  expect(status).toBe(200);
  expect(body).toMatchObject({ search_metadata: { status: "Success" }, error: expect.stringContaining("any results") });
  expect(body).not.toHaveProperty("organic_results");
});

test.each([
  { q: " " },
  { engine: "gogle" },
  { query: "coffee" },
  { gl: "DE" },
  { hl: "pt_BR" },
  { tbs: "week" },
  { tbm: "news" },
  { start: "-1" },
] as Record<string, string>[])("refuses %j", async (change) => {
  expect(await ask({ ...plain, ...change })).toMatchObject({ status: 400, body: { error: expect.any(String) } });
});

test("refuses a key, and has the errors of accounts", async () => {
  expect((await ask({ ...plain, api_key: "wrong" })).status).toBe(401);
  const message = "Your account has run out of searches.";
  vendor.sandbox.setModel("search/serpapi@spent", { fault: { kind: "status", status: 429, message } });
  expect(await ask(plain, "@spent")).toEqual({ status: 429, body: { error: message } });
});
