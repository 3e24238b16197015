import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { defaultFallbackOn, defaultRetry } from "../../src/config/defaults.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { askedOf, attemptsOf, errorOf, failing, modelOf, policy } from "./routing.testkit.ts";
import { done } from "../sse-text.testkit.ts";

/** Fallback happens before the caller has seen a byte, and never after. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    // No jitter: retries happen at once.
    random: () => 0,
    timeouts: { connectMs: 1_000, firstByteMs: 300, idleMs: 300, totalMs: 60_000 },
    models: [
      modelOf("first", { contextLength: 1_000 }),
      modelOf("second", { contextLength: 1_000 }),
      modelOf("large", { contextLength: 100_000 }),
      { id: "twofold", targets: ["first-up", "second-up"].map((model) => ({ provider: "sandbox", model })) },
    ],
    routes: [
      policy("pair", ["first", "second"]),
      policy("narrow", ["first", "second"], { fallbackOn: ["timeout"], retry: { ...defaultRetry, on: [] } }),
      policy("growing", ["first", "second", "large"], { fallbackOn: [...defaultFallbackOn, "context_length"] }),
      policy("fixed", ["first", "second", "large"]),
    ],
  });
});
afterAll(() => gateway.stop());
afterEach(() => {
  // Waits that a provider asked for end before the next test.
  clock.advance(100_000);
  gateway.sandbox.reset();
});
beforeEach(() => {
  for (const name of ["first-up", "second-up", "large-up"]) gateway.sandbox.setModel(name, {});
});

/** Faults of the first target, and how the admin API shows the attempt. */
const faults: Readonly<Record<string, { fault: object; error: string; retried?: boolean }>> = {
  "status 401": { fault: { kind: "status", status: 401 }, error: "credential" },
  "status 402": { fault: { kind: "status", status: 402 }, error: "credential" },
  "status 403": { fault: { kind: "status", status: 403 }, error: "credential" },
  "a used-up quota": { fault: { kind: "status", status: 429, code: "insufficient_quota" }, error: "credential" },
  "status 404": { fault: { kind: "status", status: 404 }, error: "not_found" },
  "status 408": { fault: { kind: "status", status: 408 }, error: "timeout" },
  "status 409": { fault: { kind: "status", status: 409 }, error: "server_error" },
  "status 429": { fault: { kind: "status", status: 429 }, error: "rate_limit" },
  "status 500": { fault: { kind: "status", status: 500 }, error: "server_error" },
  "status 503": { fault: { kind: "status", status: 503 }, error: "overloaded" },
  "status 529": { fault: { kind: "status", status: 529 }, error: "overloaded" },
  "an HTML page": { fault: { kind: "html" }, error: "server_error" },
  "an empty body": { fault: { kind: "empty_body" }, error: "invalid_response" },
  "an error with 200": { fault: { kind: "error_body" }, error: "invalid_response" },
  "an error event first": { fault: { kind: "error_first" }, error: "invalid_response" },
  "malformed JSON": { fault: { kind: "malformed_json", after: 0 }, error: "invalid_response" },
  "a closed connection": { fault: { kind: "close" }, error: "unreachable" },
  "silence after the headers": { fault: { kind: "stall", at: "first_byte" }, error: "timeout" },
  "an end before any event": { fault: { kind: "end", after: 0 }, error: "invalid_response" },
};

describe.each(Object.entries(faults))("after %s", (_name, { fault, error }) => {
  test.each([false, true])("the second target answers (stream: %p), and only it is charged", async (stream) => {
    gateway.sandbox.setModel("second-up", { tokens: { input: 100, output: 10 } });
    const sandbox = { fault: { ...fault, models: ["first-up"] } };
    const response = await gateway.chat({ model: "pair", stream, sandbox });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text.endsWith(done)).toBe(stream);
    expect(askedOf(gateway)).toEqual(["first-up", "second-up"]);
    expect(response.headers.get("x-service-attempts")).toBe("2");
    const id = response.headers.get("x-service-request-id");
    expect(await gateway.record(id)).toMatchObject({
      status: "succeeded",
      // 100 tokens at 0.25 USD and 10 at 2 USD a million.
      billing: { amount_microusd: 45 },
      routing: { strategy_name: "priority", resolved_model: "second", status_code: 200, attempts: 2 },
    });
    expect(await attemptsOf(gateway, id)).toMatchObject([
      { model: "first", upstream_model: "first-up", outcome: "failed", error },
      { model: "second", upstream_model: "second-up", outcome: "answered", provider_cost_microusd: 45 },
    ]);
  });
});

describe("no other target is asked", () => {
  test.each([400, 413, 422])("after an invalid request: %d", async (status) => {
    gateway.sandbox.setModel("first-up", failing(status));
    const response = await gateway.chat({ model: "pair" });
    expect((await errorOf(response)).status).toBe(status);
    expect(askedOf(gateway)).toEqual(["first-up"]);
  });

  test("after a fault that the policy does not fall back on", async () => {
    gateway.sandbox.setModel("first-up", failing(500));
    expect((await errorOf(await gateway.chat({ model: "narrow" }))).status).toBe(502);
    expect(askedOf(gateway)).toEqual(["first-up"]);
  });

  test("once the caller has seen a byte", async () => {
    const sandbox = { fault: { kind: "cut", after: 2, models: ["first-up"] }, chunks: 6 };
    const response = await gateway.chat({ model: "pair", stream: true, sandbox });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("upstream_invalid_response");
    expect(askedOf(gateway)).toEqual(["first-up"]);
    expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
      routing: { attempts: 1, resolved_model: "first" },
    });
  });
});

describe("if all fail", () => {
  test("with the same fault, the caller sees it; with different faults, the error says so", async () => {
    gateway.sandbox.setModel("first-up", failing(500));
    gateway.sandbox.setModel("second-up", failing(500));
    const alike = await gateway.chat({ model: "twofold" });
    expect(await errorOf(alike)).toMatchObject({ status: 502, code: "upstream_error" });
    expect(alike.headers.get("x-service-attempts")).toBe("2");
    gateway.sandbox.setModel("second-up", { fault: { kind: "close" } });
    expect((await errorOf(await gateway.chat({ model: "twofold" }))).code).toBe("all_targets_failed");
  });

  test("a plain model asks each of its targets once, without waiting", async () => {
    gateway.sandbox.setModel("first-up", failing(503, { headers: { "retry-after": "1" } }));
    gateway.sandbox.setModel("second-up", failing(429, { headers: { "retry-after": "9" } }));
    const response = await gateway.chat({ model: "twofold" });
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "no_target_available" });
    expect(response.headers.get("retry-after")).toBe("1");
    expect(askedOf(gateway)).toEqual(["first-up", "second-up"]);
  });
});

describe("a request that the provider rejects as too long", () => {
  const tooLong = failing(400, { code: "context_length_exceeded", message: "This is too long." });

  test("goes to a larger model, past one of the same size, if the policy allows it", async () => {
    gateway.sandbox.setModel("first-up", tooLong);
    const response = await gateway.chat({ model: "growing" });
    expect(response.status).toBe(200);
    await response.json();
    expect(askedOf(gateway)).toEqual(["first-up", "large-up"]);
  });

  test("otherwise fails with the provider's message", async () => {
    gateway.sandbox.setModel("first-up", tooLong);
    expect(await errorOf(await gateway.chat({ model: "fixed" }))).toMatchObject({
      status: 400,
      code: "context_length_exceeded",
      message: "This is too long.",
    });
    expect(askedOf(gateway)).toEqual(["first-up"]);
  });
});
