import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { disableKey } from "../../src/access/manage.ts";
import { systemClock } from "../../src/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { startTestGateway, type TestGateway, type TestKey } from "../gateway.testkit.ts";
import {
  chatBody,
  type Expected,
  expectUntouched,
  type Refusal,
  refused,
  refusedWithoutRecord,
} from "../http/refusals.testkit.ts";
import { tester } from "../../src/changes/actor.testkit.ts";

/** Missing, invalid, expired, disabled and restricted keys, and all ways to send a valid one. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      { id: "cool", temperature: { min: 0, max: 1 }, targets: [{ provider: "sandbox", model: "sandbox-chat" }] },
    ],
  });
});
afterAll(() => gateway.stop());
afterEach(() => expectUntouched(gateway));

const unauthorized = (code: string): Expected => ({ status: 401, type: "authentication_error", code, param: null });
const send =
  (headers: Readonly<Record<string, string>>, query = "") =>
  async (): Promise<Refusal> => {
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: chatBody({}) };
    const response = await fetch(`${gateway.url}/v1/chat/completions${query}`, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
const bearer = ({ key }: Pick<TestKey, "key">) => ({ authorization: `Bearer ${key}` });

test("no key: 401", () => refusedWithoutRecord(gateway, send({}), unauthorized("missing_api_key")));

test.each(["Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "bearer"])("'%s': 401", async (authorization) => {
  await refusedWithoutRecord(gateway, send({ authorization }), unauthorized("missing_api_key"));
});

test("invalid keys: 401", async () => {
  const last = gateway.key.at(-1) === "a" ? "b" : "a";
  const wrong = [
    "sk-openai",
    "x".repeat(8_000),
    gateway.key.slice(0, -1) + last,
    `${gateway.key}, Bearer ${gateway.key}`,
  ];
  for (const key of wrong) await refusedWithoutRecord(gateway, send(bearer({ key })), unauthorized("invalid_api_key"));
});

test("an expired key: 401", async () => {
  const expired = await gateway.newKey({ expiresAt: Date.now() - 1 });
  await refusedWithoutRecord(gateway, send(bearer(expired)), unauthorized("expired_api_key"));
});

test("a disabled key: 401, at once", async () => {
  const key = await gateway.newKey();
  expect((await send(bearer(key))()).status).toBe(200);
  const storage = await openStorage(gateway.storageUrl);
  await disableKey(storage.keys, key.id, systemClock, tester);
  await storage.close();
  await refusedWithoutRecord(gateway, send(bearer(key)), unauthorized("disabled_api_key"));
});

test("a key with extra spaces is accepted", async () => {
  expect((await send({ authorization: `  bearer \t ${gateway.key}  ` })()).status).toBe(200);
  expect((await send({ "x-api-key": ` ${gateway.key} ` })()).status).toBe(200);
});

test("a key is accepted in every place, and is never logged", async () => {
  expect((await send({ "x-api-key": gateway.key })()).status).toBe(200);
  expect((await send({ "x-goog-api-key": gateway.key })()).status).toBe(200);
  expect((await send({}, `?key=${gateway.key}`)()).status).toBe(200);
  expect(gateway.sandbox.requests.at(-1)?.path).toBe("/v1/chat/completions");
  expect(JSON.stringify(gateway.sandbox.requests.at(-1)?.headers)).not.toContain(gateway.key);
});

test("of two keys, Authorization wins", async () => {
  const other = await gateway.newKey();
  const response = await send({ ...bearer(other), "x-api-key": gateway.key })();
  const id = response.headers.get("x-service-request-id") ?? null;
  expect(await gateway.record(id, other.key)).toMatchObject({ status: "succeeded" });
  const lookup = await gateway.fetch(`/api/usage/requests/${id}`);
  expect(lookup.status).toBe(404);
  await refusedWithoutRecord(
    gateway,
    send({ authorization: "Bearer nonsense", "x-api-key": gateway.key }),
    unauthorized("invalid_api_key"),
  );
});

test("scopes: 403 for a model or an endpoint outside the scope, with a record", async () => {
  const narrow = await gateway.newKey({ scopes: { models: ["cool"] } });
  const other = await gateway.newKey({ scopes: { endpoints: ["messages"] } });
  const forbidden = (code: string, param: string | null): Expected => ({
    status: 403,
    type: "permission_error",
    code,
    param,
  });
  const first = await refused(gateway, send(bearer(narrow)), forbidden("model_not_allowed", "model"));
  expect(await gateway.record(first, narrow.key)).toMatchObject({
    status: "refused",
    billing: { amount_microusd: 0 },
  });
  const second = await refused(gateway, send(bearer(other)), forbidden("endpoint_not_allowed", null));
  expect(await gateway.record(second, other.key)).toMatchObject({
    status: "refused",
    billing: { amount_microusd: 0 },
  });
});

test("a rate limit: 429 with Retry-After, and no record", async () => {
  const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
  expect((await send(bearer(limited))()).status).toBe(200);
  const expected = { status: 429, type: "rate_limit_exceeded", code: "requests_per_minute", param: null };
  const before = gateway.sandbox.requests.length;
  const { status, headers, body } = await send(bearer(limited))();
  const { error } = JSON.parse(body) as { error: Record<string, unknown> };
  expect({ status, ...error }).toMatchObject(expected);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(String(error.message)).toContain(`${headers.get("retry-after")} second`);
  expect(gateway.sandbox.requests.length).toBe(before);
  const lookup = await gateway.fetch(`/api/usage/requests/${String(error.request_id)}`, { headers: bearer(limited) });
  expect(lookup.status).toBe(404);
});

test("a refused request cancels its bookings", async () => {
  const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
  const init = { method: "POST", headers: { ...bearer(limited) }, body: "{" };
  for (let tries = 0; tries < 3; tries++) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, init);
    expect(response.status).toBe(400);
    await response.arrayBuffer();
  }
  expect((await send(bearer(limited))()).status).toBe(200);
});
