import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Whatever is sent to the admin API, it is done or refused by name: nothing fails within. */

let gateway: TestGateway;
let admin: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key: admin } = await gateway.newKey({ admin: true }));
});
afterAll(() => gateway.stop());

const names = [
  ..."name models endpoints limits expires_at admin account tags disabled overlap id mode markup_percent".split(" "),
  ..."required allowed kind amount_microusd idempotency_key note requests_per_minute __proto__ constructor toString".split(
    " ",
  ),
];
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    null,
    -1,
    0,
    1,
    1.5,
    2 ** 53,
    1e300,
    "",
    "default",
    "credit",
    "prepaid",
    "1h",
    true,
    ["chat"],
    [[]],
    {},
  ),
);
const body = fc.oneof(
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }).map((fields) => JSON.stringify(fields)),
  fc.json(),
  fc.string(),
);

const places = fc.constantFrom(
  ["POST", "/keys"],
  ["PATCH", "/keys/0123456789"],
  ["POST", "/keys/0123456789/rotate"],
  ["POST", "/accounts"],
  ["POST", "/accounts/default/entries"],
  ["POST", "/prices/1/activate"],
  ["POST", "/prices/rollback"],
  ["POST", "/prices/import?format=litellm"],
  ["PUT", "/routes/hostile"],
  ["PUT", "/accounts/default/tags"],
  ["POST", "/search-backends"],
  ["PATCH", "/search-backends/hostile"],
  ["POST", "/search-backends/order"],
  ["POST", "/search-backends/sandbox-search/test"],
);

const query = fc
  .dictionary(fc.constantFrom("limit", "after", "kind", "id", "model", "from", "to", "x"), fc.string({ maxLength: 20 }))
  .map((parameters) => new URLSearchParams(parameters).toString());

const readPlaces = fc.constantFrom(
  "/keys",
  "/accounts",
  "/accounts/default/entries",
  "/prices",
  "/prices/1",
  "/prices/diff",
  "/changes",
);

async function ask(method: string, path: string, text?: string): Promise<void> {
  const response = await gateway.fetch(`/api/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
    ...(text === undefined ? {} : { body: text }),
  });
  const answer = (await response.json()) as { error?: { type: string; message: string } };
  if (response.ok) return;
  expect([400, 404, 409]).toContain(response.status);
  expect(answer.error?.message.length).toBeLessThan(3_000);
}

test("any body", async () => {
  await fc.assert(
    fc.asyncProperty(places, body, ([method = "", path = ""], text) => ask(method, path, text)),
    { numRuns: 150 },
  );
}, 60_000);

test("any query", async () => {
  await fc.assert(
    fc.asyncProperty(readPlaces, query, (path, text) => ask("GET", `${path}?${text}`)),
    { numRuns: 200 },
  );
}, 60_000);
