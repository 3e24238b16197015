import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "../../server.ts";
import { callVendor } from "../vendor-client.testkit.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const ask = (body: object, { key = "k", path = "/search", place = "serper" } = {}) =>
  callVendor(sandbox, place, { path, headers: key === "" ? {} : { "x-api-key": key }, body });

test("finds pages, within sites, and charges two credits for more than ten", async () => {
  const { body } = await ask({ q: "coffee (site:www.example.com OR site:sprache.example.de) -site:example.de" });
  expect(body).toMatchObject({
    searchParameters: { type: "search" },
    organic: [
      { link: "https://www.example.com/coffee/brewing", position: 1 },
      { link: "https://www.example.com/coffee/roasting" },
    ],
    credits: 1,
  });
  expect(body.organic).toHaveLength(2);
  expect((await ask({ q: "coffee", num: 20 })).body).toMatchObject({ credits: 2 });
  expect((await ask({ q: "xylophone" })).body).toMatchObject({ organic: [] });
});

test("has news at a path of its own, with dates in words", async () => {
  const { body } = await ask({ q: "coffee harvest", tbs: "qdr:w", gl: "de", hl: "de" }, { path: "/news" });
  expect(body.news).toMatchObject([{ date: "3 days ago", source: "NEWS" }]);
  expect((await ask({ q: "typescript compiler" }, { path: "/news" })).body.news).toMatchObject([
    { date: expect.stringMatching(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/) },
  ]);
});

test("refuses a missing and a wrong key with 403", async () => {
  for (const key of ["", "wrong-1"]) {
    expect(await ask({ q: "q" }, { key })).toEqual({
      status: 403,
      body: { message: "Unauthorized.", statusCode: 403 },
    });
  }
});

test.each([
  [{}],
  [{ q: " " }],
  [{ q: "q", num: 101 }],
  [{ q: "q", num: 0 }],
  [{ q: "q", gl: "DE" }],
  [{ q: "q", hl: "pt_BR" }],
  [{ q: "q", tbs: "week" }],
  [{ q: "q", domains: ["a.test"] }],
])("refuses %j", async (body) => {
  expect(await ask(body)).toMatchObject({ status: 400, body: { statusCode: 400 } });
});

test("refuses free accounts operators with more than ten results", async () => {
  const refused = { status: 400, body: { message: "Query pattern not allowed for free accounts" } };
  expect(await ask({ q: "coffee site:example.com", num: 20 }, { key: "free-1" })).toMatchObject(refused);
  expect((await ask({ q: "coffee site:example.com" }, { key: "free-1" })).status).toBe(200);
});

test("can be out of credits", async () => {
  const message = "Not enough credits";
  sandbox.setModel("search/serper@spent", { fault: { kind: "status", status: 400, message } });
  expect(await ask({ q: "q" }, { place: "serper@spent" })).toEqual({ status: 400, body: { message, statusCode: 400 } });
});
