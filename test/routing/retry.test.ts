import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { defaultRetry } from "../../src/config/defaults.ts";
import { createTestClock } from "../clock.testkit.ts";
import { until } from "../until.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { askedOf, errorOf, failing, modelOf, policy, ticks } from "./routing.testkit.ts";

/** Retries: after a wait, within the policy's bounds. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    // No jitter: retries without a requested wait happen at once.
    random: () => 0,
    providers: (url) => [{ id: "google", baseUrl: url.replace("/v1", ""), dialects: ["gemini"] }],
    models: [
      modelOf("first"),
      modelOf("second"),
      { id: "gemini", targets: [{ provider: "google", model: "gemini-up" }] },
    ],
    routes: [
      policy("alone", ["first"]),
      policy("by-google", ["gemini"]),
      policy("short", ["first"], { retry: { ...defaultRetry, budgetMs: 5_000 } }),
      policy("thrice", ["first", "second"], { retry: { ...defaultRetry, attempts: 3 } }),
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
  for (const name of ["first-up", "second-up", "gemini-up"]) gateway.sandbox.setModel(name, {});
});

test("all targets are asked before a retry, and at most the maximum number of attempts is made", async () => {
  gateway.sandbox.setModel("first-up", failing(500));
  gateway.sandbox.setModel("second-up", failing(500));
  const response = await gateway.chat({ model: "thrice" });
  expect((await errorOf(response)).status).toBe(502);
  expect(askedOf(gateway)).toEqual(["first-up", "second-up", "first-up"]);
  const record = await gateway.record(response.headers.get("x-service-request-id"));
  expect(record).toMatchObject({ status: "failed", billing: { amount_microusd: 0 }, routing: { attempts: 3 } });
});

describe("a requested wait", () => {
  /** Whether the last transition of a circuit was to open. */
  const isResting = () => gateway.log.findLast(({ fields }) => "circuit" in fields)?.fields["circuit"] === "open";
  // Targets paused in the last test answer again.
  beforeEach(async () => {
    for (const model of ["first", "second", "gemini"]) await (await gateway.chat({ model })).json();
    gateway.sandbox.reset();
    expect(isResting()).toBe(false);
  });

  const rateInfo = (seconds: string) => ({
    error: {
      code: 429,
      message: "Slow down.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: seconds }],
    },
  });

  test.each([
    ["Retry-After", "alone", "first-up", { status: 429, headers: { "retry-after": "20" } }],
    ["retry-after-ms", "alone", "first-up", { status: 503, headers: { "retry-after-ms": "20000" } }],
    ["RetryInfo", "by-google", "gemini-up", { status: 429, body: rateInfo("20s") }],
  ])("by %s is observed, and then the target answers", async (_form, model, upstream, { status, ...fields }) => {
    gateway.sandbox.setModel(upstream, failing(status, { ...fields, times: 1, key: crypto.randomUUID() }));
    const asking = gateway.chat({ model });
    await until("the target is paused", () => isResting());
    clock.advance(19_000);
    await ticks();
    expect(gateway.sandbox.requests.length).toBe(1);
    clock.advance(1_000);
    const response = await asking;
    expect(response.status).toBe(200);
    await response.json();
    expect(askedOf(gateway)).toEqual([upstream, upstream]);
    expect(response.headers.get("x-service-attempts")).toBe("2");
  });

  test("beyond the budget is not waited for, and is forwarded", async () => {
    gateway.sandbox.setModel("first-up", failing(429, { headers: { "retry-after": "6" } }));
    const response = await gateway.chat({ model: "short" });
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      type: "rate_limit_exceeded",
      code: "provider_rate_limit",
    });
    expect(response.headers.get("retry-after")).toBe("6");
    expect(askedOf(gateway)).toEqual(["first-up"]);
    expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({
      status: "failed",
      routing: { status_code: 429, attempts: 1 },
    });
  });

  test("is waited for by a plain model if the caller has set a deadline", async () => {
    gateway.sandbox.setModel("first-up", failing(429, { headers: { "retry-after": "20" }, times: 1 }));
    const asking = gateway.chat({ model: "first" }, { headers: { "x-request-timeout-ms": "60000" } });
    await until("the target is paused", () => isResting());
    clock.advance(20_000);
    expect((await asking).status).toBe(200);
  });

  test("is observed by all concurrent requests, and all are answered", async () => {
    gateway.sandbox.setModel("first-up", { ...failing(429, { headers: { "retry-after": "20" } }), latency_ms: 100 });
    const failures = () => gateway.log.filter(({ fields }) => fields["fault"] === "status").length;
    const before = failures();
    const asking = Array.from({ length: 5 }, () => gateway.chat({ model: "alone" }));
    const { requests } = gateway.sandbox;
    // Some may arrive during the pause: those wait as well.
    await until(
      "all requests that reached the provider have failed",
      () => isResting() && failures() === before + requests.length,
    );
    gateway.sandbox.setModel("first-up", {});
    clock.advance(20_000);
    const statuses = await Promise.all(asking.map(async (answer) => (await answer).status));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
  });
});
