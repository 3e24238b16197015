import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { createTestClock } from "../clock.testkit.ts";
import { callers } from "../dialects/callers.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { errorOf, failing, modelOf, policy } from "./routing.testkit.ts";

/** The hints that tell an SDK whether to retry a request: the status, `Retry-After`, and `x-should-retry`. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    // No jitter: retries happen at once.
    random: () => 0,
    timeouts: { firstByteMs: 250 },
    models: [
      modelOf("first"),
      modelOf("second"),
      { id: "twofold", targets: ["first-up", "second-up"].map((model) => ({ provider: "sandbox", model })) },
    ],
    routes: [policy("pair", ["first", "second"]), policy("again", ["first"])],
  });
});
afterEach(() => {
  // Waits that a provider asked for end before the next test.
  clock.advance(100_000);
  gateway.sandbox.reset();
});
afterAll(() => gateway.stop());

const hint = ({ headers }: Response) => headers.get("x-should-retry");

describe("an error that a retry cannot resolve says so", () => {
  const { stringify } = JSON;
  const hello = { model: "sandbox-chat", messages: [{ role: "user", content: "Hello" }] };
  const cases: readonly (readonly [number, string, RequestInit])[] = [
    [400, "/v1/chat/completions", { body: "{" }],
    [400, "/v1/chat/completions", { body: stringify({ ...hello, max_tokens: -1 }) }],
    [401, "/v1/chat/completions", { body: stringify(hello), headers: { authorization: "Bearer sk-wrong" } }],
    [404, "/v1/chat/completions", { body: stringify({ ...hello, model: "nobody" }) }],
    [415, "/v1/chat/completions", { body: stringify(hello), headers: { "content-type": "text/plain" } }],
    [404, "/v1/nothing", { body: stringify(hello) }],
    [401, "/v1/models", { method: "GET", headers: { authorization: "Bearer sk-wrong" } }],
    [404, "/api/usage/requests/none", { method: "GET" }],
    [400, "/api/routes/explain", { body: "{" }],
  ];
  test.each(cases)("%d at %s", async (status, path, init) => {
    const headers = { "content-type": "application/json", ...(init.headers as Record<string, string>) };
    const response = await gateway.fetch(path, { method: "POST", ...init, headers });
    await response.arrayBuffer();
    expect({ status: response.status, hint: hint(response) }).toEqual({ status, hint: "false" });
  });

  test("403 and 413", async () => {
    const { key } = await gateway.newKey({ scopes: { endpoints: ["embeddings"] } });
    const forbidden = await gateway.chat({}, { headers: { authorization: `Bearer ${key}` } });
    expect([forbidden.status, hint(forbidden)]).toEqual([403, "false"]);
    const small = await startTestGateway({ server: { maxBodyBytes: 1_000 } });
    const large = await small.chat({ messages: "x".repeat(2_000) });
    expect([large.status, hint(large)]).toEqual([413, "false"]);
    await small.stop();
  });

  test.each([400, 413, 422])("a provider's own %d, for callers of all dialects", async (status) => {
    for (const caller of callers) {
      gateway.sandbox.setModel("first-up", failing(status));
      const response = await gateway.fetch(caller.path("first", false), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(caller.body("first", "Hello")),
      });
      await response.arrayBuffer();
      expect([response.status, hint(response)]).toEqual([status, "false"]);
    }
  });

  test("limits and overload leave it to the caller, with a wait", async () => {
    const { key } = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const ask = () => gateway.chat({}, { headers: { authorization: `Bearer ${key}` } });
    expect((await ask()).status).toBe(200);
    const limited = await ask();
    expect([limited.status, hint(limited)]).toEqual([429, null]);
    expect(limited.headers.get("retry-after")).not.toBeNull();
  });
});

describe("a provider's failure", () => {
  const faults = [
    ["status 500", failing(500), 502],
    ["closed", { fault: { kind: "close" } }, 502],
    ["status 504", failing(504), 504],
    ["malformed", { fault: { kind: "malformed_json", after: 0 } }, 502],
  ] as const;

  test.each(faults)("%s is left to the SDK to retry if the gateway did not", async (_name, script, status) => {
    gateway.sandbox.setModel("first-up", script);
    const response = await gateway.chat({ model: "first" });
    expect([response.status, hint(response)]).toEqual([status, null]);
  });

  test.each(faults)("%s is not, if the gateway has retried or asked another target", async (_name, script, status) => {
    for (const name of ["first-up", "second-up"]) gateway.sandbox.setModel(name, script);
    // This policy does not repeat timeouts.
    for (const model of status === 504 ? ["pair", "twofold"] : ["again", "pair", "twofold"]) {
      const response = await gateway.chat({ model });
      expect({ model, status: response.status, hint: hint(response) }).toEqual({ model, status, hint: "false" });
      clock.advance(100_000);
    }
  });

  test("a single fault of a plain model does not reach the user of an SDK", async () => {
    const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 1 });
    gateway.sandbox.setModel("first-up", { text: "Hello.", fault: { kind: "status", status: 500, times: 1 } });
    const answer = await client.chat.completions.create({
      model: "first",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(answer.choices[0]?.message.content).toBe("Hello.");
  });

  test("a caller with its own deadline is not told to retry", async () => {
    gateway.sandbox.setModel("first-up", { fault: { kind: "stall", at: "headers" } });
    const response = await gateway.chat({ model: "first" }, { headers: { "x-request-timeout-ms": "100" } });
    expect([response.status, hint(response)]).toEqual([504, "false"]);
  });
});

describe("a provider's 429 without another target", () => {
  test.each([
    ["first", "7", 7],
    ["first", null, 1],
    ["twofold", "9", 9],
  ])("of %s, after %s seconds", async (model, wait, told) => {
    const headers = wait === null ? {} : { "retry-after": wait };
    for (const name of ["first-up", "second-up"]) gateway.sandbox.setModel(name, failing(429, { headers }));
    const response = await gateway.chat({ model });
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      type: "rate_limit_exceeded",
      code: "provider_rate_limit",
      message: expect.stringContaining(`Retry in ${told} second`),
    });
    expect([response.headers.get("retry-after"), hint(response)]).toEqual([String(told), null]);
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({
      status: "failed",
      error: { type: "rate_limit_exceeded", code: "provider_rate_limit" },
      billing: { amount_microusd: 0 },
    });
  });

  test("is the rate limit error of the SDKs", async () => {
    gateway.sandbox.setModel("first-up", failing(429, { headers: { "retry-after": "7" } }));
    const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const asked = client.chat.completions.create({ model: "first", messages: [{ role: "user", content: "Hi" }] });
    expect(await asked.catch((error: unknown) => error)).toBeInstanceOf(OpenAI.RateLimitError);
  });

  test("with another that is overloaded is a 503 with the shorter wait", async () => {
    gateway.sandbox.setModel("first-up", failing(429, { headers: { "retry-after": "9" } }));
    gateway.sandbox.setModel("second-up", failing(503, { headers: { "retry-after": "4" } }));
    const response = await gateway.chat({ model: "twofold" });
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "no_target_available" });
    expect(response.headers.get("retry-after")).toBe("4");
  });

  test("while it is paused, no target can be asked", async () => {
    gateway.sandbox.setModel("first-up", failing(429, { headers: { "retry-after": "30" } }));
    await gateway.chat({ model: "first" });
    const response = await gateway.chat({ model: "first" });
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "no_target_available" });
  });
});
