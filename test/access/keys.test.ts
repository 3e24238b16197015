import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createCommandDirectory, type CommandDirectory } from "../../src/commands/command.testkit.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Scopes of keys, and changes of keys while the gateway runs. */

const databases: { drop(): Promise<void> }[] = [];
let directory: CommandDirectory;

beforeAll(async () => {
  directory = await createCommandDirectory();
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await directory.remove();
});

const by = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } });

/** The status, and the error if there is one. */
async function told(response: Response): Promise<object> {
  const body = (await response.json()) as { readonly error?: { readonly type: string; readonly code: string } };
  return { status: response.status, ...(body.error && { type: body.error.type, code: body.error.code }) };
}

const permission = (code: string) => ({ status: 403, type: "permission_error", code });
const authentication = (code: string) => ({ status: 401, type: "authentication_error", code });
const good = { status: 200 };

describe("scopes", () => {
  const clock = createTestClock();
  let gateway: TestGateway;
  beforeAll(async () => {
    const targets = [{ provider: "sandbox", model: "sandbox-chat" }];
    const models = ["a/one", "b/one", "b/deep/er/two", "b", "bb/one"].map((id) => ({ id, targets }));
    gateway = await startTestGateway({ clock, models });
  });
  beforeEach(() => gateway.sandbox.reset());
  afterAll(() => gateway.stop());

  test("a model outside the scope is a 403 with a record and without a provider call", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["b/*", "sandbox-chat"] } });
    for (const model of ["a/one", "b", "bb/one", "sandbox-reasoning"]) {
      const refusal = await gateway.chat({ model }, by(key));
      expect(await told(refusal)).toEqual(permission("model_not_allowed"));
      expect(await gateway.record(refusal.headers.get("x-service-request-id"), key)).toMatchObject({
        status: "refused",
        model,
        error: { type: "permission_error", code: "model_not_allowed" },
        billing: { amount_microusd: 0 },
      });
    }
    expect(gateway.sandbox.requests.length).toBe(0);
    for (const model of ["b/one", "b/deep/er/two", "sandbox-chat"]) {
      expect(await told(await gateway.chat({ model }, by(key)))).toEqual(good);
    }
  });

  test("lists contain exactly the models that the key may use", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["b/*", "a/one"] } });
    const allowed = ["a/one", "b/deep/er/two", "b/one"];
    for (const path of ["/v1/models", "/api/models/catalog"]) {
      const list = (await (await gateway.fetch(path, by(key))).json()) as { data: { id: string }[] };
      expect(list.data.map(({ id }) => id).sort()).toEqual(allowed);
    }
    expect((await gateway.fetch("/v1/models/b/deep/er/two", by(key))).status).toBe(200);
    expect((await gateway.fetch("/v1/models/bb/one", by(key))).status).toBe(404);
  });

  test("an endpoint outside the scope is a 403, for any body", async () => {
    const { key } = await gateway.newKey({ scopes: { endpoints: ["messages"] } });
    expect(await told(await gateway.chat({}, by(key)))).toEqual(permission("endpoint_not_allowed"));
    expect(await told(await gateway.chat({ messages: 1 }, by(key)))).toEqual(permission("endpoint_not_allowed"));
    expect(gateway.sandbox.requests.length).toBe(0);
    const other = await gateway.newKey({ scopes: { endpoints: ["chat"] } });
    expect(await told(await gateway.chat({}, by(other.key)))).toEqual(good);
  });

  test("an expired key cannot be used, and its records cannot be read", async () => {
    const { key } = await gateway.newKey({ expiresAt: clock.now() + 60_000 });
    expect(await told(await gateway.chat({}, by(key)))).toEqual(good);
    clock.advance(61_000);
    expect(await told(await gateway.chat({}, by(key)))).toEqual(authentication("expired_api_key"));
    expect(await told(await gateway.fetch("/v1/models", by(key)))).toEqual(authentication("expired_api_key"));
  });

  test("another key's record is a 404", async () => {
    const answer = await gateway.chat();
    const { id: responseId } = (await answer.json()) as { id: string };
    const other = await gateway.newKey();
    for (const id of [answer.headers.get("x-service-request-id"), responseId]) {
      const looked = await gateway.fetch(`/api/usage/requests/${id}`, by(other.key));
      expect(await told(looked)).toEqual({ status: 404, type: "not_found_error", code: "request_not_found" });
    }
  });
});

// On SQLite the next request sees a change; on Postgres it is announced, which takes some milliseconds.
describe.each([
  ["SQLite", 0, () => Promise.resolve(null)],
  ["Postgres", 1_000, createTestDatabase],
] as const)("the command line beside a running gateway on %s", (_name, announcedWithinMs, makeDatabase) => {
  const clock = createTestClock();
  let gateway: TestGateway;
  beforeAll(async () => {
    const database = await makeDatabase();
    if (database) databases.push(database);
    gateway = await startTestGateway({ clock, ...(database && { storageUrl: database.url }) });
  });
  afterAll(() => gateway.stop());

  async function tollgate(...words: string[]): Promise<string> {
    const ended = await directory.run(words, { TOLLGATE_STORAGE_URL: gateway.storageUrl });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    return ended.stdout;
  }

  async function issuedBy(...words: string[]): Promise<{ readonly id: string; readonly key: string }> {
    return JSON.parse(await tollgate(...words, "--json"));
  }

  /** Waits until requests with the key have the expected outcome. */
  async function soonTold(key: string, expected: object): Promise<void> {
    const deadline = performance.now() + announcedWithinMs;
    let answer = await told(await gateway.chat({}, by(key)));
    while (!Bun.deepEquals(answer, expected) && performance.now() < deadline) {
      answer = await told(await gateway.chat({}, by(key)));
    }
    expect(answer).toEqual(expected);
  }

  test("a key created there works at once, and stops working when it is disabled", async () => {
    const { id, key } = await issuedBy("keys", "create", "--name", "other", "--models", "sandbox-chat", "--rpm", "5");
    const answer = await gateway.chat({}, by(key));
    expect(await told(answer)).toEqual(good);
    expect(answer.headers.get("x-ratelimit-limit-requests")).toBe("5");
    expect(await told(await gateway.chat({ model: "sandbox-reasoning" }, by(key)))).toEqual(
      permission("model_not_allowed"),
    );
    await tollgate("keys", "disable", id);
    await soonTold(key, authentication("disabled_api_key"));
    expect(await told(await gateway.fetch("/v1/models", by(key)))).toEqual(authentication("disabled_api_key"));
  });

  test("a rotated key: both secrets work in the overlap, then only the new one, which can read the old records", async () => {
    const { id, key } = await gateway.newKey();
    const before = (await gateway.chat({}, by(key))).headers.get("x-service-request-id");
    const rotated = await issuedBy("keys", "rotate", id, "--overlap", "1h");
    expect(rotated.id).toBe(id);
    expect(rotated.key).not.toBe(key);
    for (const secret of [rotated.key, key]) {
      await soonTold(secret, good);
      expect(await gateway.record(before, secret)).toMatchObject({ id: before, status: "succeeded" });
    }
    clock.advance(3_601_000);
    expect(await told(await gateway.chat({}, by(key)))).toEqual(authentication("invalid_api_key"));
    expect(await told(await gateway.chat({}, by(rotated.key)))).toEqual(good);
    expect(await gateway.record(before, rotated.key)).toMatchObject({ id: before });
  });

  test("a key rotated without an overlap is replaced at once", async () => {
    const { id, key } = await gateway.newKey();
    expect(await told(await gateway.chat({}, by(key)))).toEqual(good);
    const rotated = await issuedBy("keys", "rotate", id);
    await soonTold(key, authentication("invalid_api_key"));
    expect(await told(await gateway.chat({}, by(rotated.key)))).toEqual(good);
  });

  test("a running stream continues when its key is disabled", async () => {
    const { id, key } = await gateway.newKey();
    const stream = await gateway.chat({ stream: true, sandbox: { chunks: 20, chunk_delay_ms: 50 } }, by(key));
    await tollgate("keys", "disable", id);
    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
  });
});
