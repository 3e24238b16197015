import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "../../server.ts";
import { callVendor } from "../vendor-client.testkit.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const ask = (body: object, headers: Record<string, string> = {}) =>
  callVendor(sandbox, "jina", {
    path: "/",
    headers: { authorization: "Bearer jina_1", accept: "application/json", ...headers },
    body,
  });

test("has the text of pages unless it is told not to, and charges 10,000 tokens at least", async () => {
  const whole = await ask({ q: "coffee brewing", site: ["example.com"] });
  expect(whole.body).toMatchObject({
    code: 200,
    data: [{ url: "https://www.example.com/coffee/brewing", content: expect.stringContaining("# ") }, {}],
    meta: { usage: { tokens: 10_000 } },
  });
  const short = await ask({ q: "coffee brewing -site:example.de" }, { "x-respond-with": "no-content" });
  expect(JSON.stringify(short.body)).not.toContain('"content"');
});

test("charges news five times", async () => {
  const { body } = await ask({ q: "coffee", type: "news", gl: "DE", hl: "de" });
  expect(body).toMatchObject({ data: [{ date: "3 days ago" }], meta: { usage: { tokens: 50_000 } } });
});

test("says by an error that it found nothing", async () => {
  expect(await ask({ q: "xylophone" })).toMatchObject({
    status: 422,
    body: { data: null, name: "AssertionFailureError", message: "No search results available for query xylophone" },
  });
});

test.each(["", "Bearer wrong-1"])("refuses the key '%s'", async (authorization) => {
  expect(await ask({ q: "q" }, { authorization })).toMatchObject({
    status: 401,
    body: { data: null, code: 401, name: "AuthenticationRequiredError", status: 40_103 },
  });
});

test.each([
  [{}],
  [{ q: "q", num: 21 }],
  [{ q: "q", type: "video" }],
  [{ q: "q", gl: "germany" }],
  [{ q: "q", site: ["https://a.test"] }],
  [{ q: "q", max_results: 5 }],
])("refuses %j", async (body) => {
  expect(await ask(body)).toMatchObject({ status: 400, body: { name: "ParamValidationError" } });
});

test.each([
  [402, "InsufficientBalanceError"],
  [409, "BudgetExceededError"],
  [429, "RateLimitTriggeredError"],
  [451, "SecurityCompromiseError"],
  [500, "InternalServerError"],
])("can fail with %i %s", async (status, name) => {
  sandbox.setModel("search/jina", { fault: { kind: "status", status, message: "m" } });
  expect(await ask({ q: "q" })).toMatchObject({ status, body: { code: status, name, message: "m" } });
});
