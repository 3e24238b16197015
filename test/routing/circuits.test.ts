import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { until } from "../until.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { askedOf, errorOf, failing, modelOf, policy } from "./routing.testkit.ts";

/** Circuit breakers over HTTP. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    circuit: { failures: 3, openMs: 30_000, failureRate: 0.5, minCalls: 10 },
    models: [modelOf("ill"), modelOf("well"), { ...modelOf("ill-too"), targets: modelOf("ill").targets ?? [] }],
    routes: [policy("pair", ["ill", "well"])],
  });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  gateway.sandbox.setModel("well-up", {});
  gateway.sandbox.setModel("ill-up", {});
  // Close all circuits by a probe, and move past the window of failures.
  clock.advance(600_000);
  for (let request = 0; request < 2; request++) expect(await statusOf("ill")).toBe(200);
  gateway.sandbox.reset();
});

async function statusOf(model: string, fields: object = {}): Promise<number> {
  const response = await gateway.chat({ model, ...fields });
  await response.text();
  return response.status;
}

async function failTimes(times: number): Promise<void> {
  gateway.sandbox.setModel("ill-up", failing(500));
  for (let request = 0; request < times; request++) expect(await statusOf("ill")).toBe(502);
}

/** The log lines about circuits during an action. */
async function transitionsOf(action: () => Promise<unknown>) {
  const before = gateway.log.length;
  await action();
  return gateway.log.slice(before).filter(({ message }) => message.startsWith("Circuit"));
}

test("opens after consecutive failures, and then the target is not asked", async () => {
  await failTimes(2);
  gateway.sandbox.setModel("ill-up", {});
  expect(await statusOf("ill")).toBe(200);
  await failTimes(3);
  gateway.sandbox.reset();
  clock.advance(12_000);

  const response = await gateway.chat({ model: "ill" });
  const error = await errorOf(response);
  expect(error).toMatchObject({ status: 503, type: "overloaded_error", code: "no_target_available" });
  expect(error.message).toContain("ill");
  const wait = Number(response.headers.get("retry-after"));
  expect(wait).toBeGreaterThanOrEqual(16);
  expect(wait).toBeLessThanOrEqual(18);
  expect(askedOf(gateway)).toEqual([]);
  expect(response.headers.get("x-service-attempts")).toBe("0");
  expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({
    status: "refused",
    billing: { amount_microusd: 0 },
    routing: { status_code: 503, attempts: 0, chose_provider: null },
  });
});

test("opens when half of the last minute's calls have failed", async () => {
  // Two good ones came before.
  for (let round = 0; round < 3; round++) {
    await failTimes(1);
    gateway.sandbox.setModel("ill-up", {});
    expect(await statusOf("ill")).toBe(200);
  }
  await failTimes(2);
  expect(await statusOf("ill")).toBe(503);
});

test("a policy skips a target with an open circuit, and models that share a target share its health", async () => {
  await failTimes(3);
  gateway.sandbox.reset();
  expect(await statusOf("pair")).toBe(200);
  expect(await statusOf("ill-too")).toBe(503);
  expect(askedOf(gateway)).toEqual(["well-up"]);
});

test("lets one probe through after its time, and all requests after an answer", async () => {
  await failTimes(3);
  gateway.sandbox.reset();
  clock.advance(30_000);
  // The upstream is silent until the caller disconnects.
  const controller = new AbortController();
  const sandbox = { fault: { kind: "stall", at: "headers" } };
  gateway.sandbox.setModel("ill-up", {});
  const probing = gateway.chat({ model: "ill", sandbox }, { signal: controller.signal }).catch(() => null);
  await gateway.sandbox.waitFor((requests) => requests.length === 1);
  expect(await statusOf("ill")).toBe(503);
  expect(gateway.sandbox.requests.length).toBe(1);
  // A disconnect is no outcome for the target: the next request is the probe.
  controller.abort();
  await probing;
  await until("its place is free", () => gateway.sandbox.requests[0]?.outcome === "aborted");
  for (let request = 0; request < 3; request++) expect(await statusOf("ill")).toBe(200);
});

test("opens again for the same time if the probe fails", async () => {
  await failTimes(3);
  clock.advance(30_000);
  await failTimes(1);
  gateway.sandbox.reset();
  clock.advance(29_000);
  expect(await statusOf("ill")).toBe(503);
  expect(askedOf(gateway)).toEqual([]);
  clock.advance(1_000);
  gateway.sandbox.setModel("ill-up", {});
  expect(await statusOf("ill")).toBe(200);
});

test("each transition is logged in one line with the target's name", async () => {
  const lines = await transitionsOf(async () => {
    await failTimes(3);
    for (let request = 0; request < 3; request++) await statusOf("ill");
    clock.advance(30_000);
    gateway.sandbox.setModel("ill-up", {});
    for (let request = 0; request < 3; request++) await statusOf("ill", { stream: true });
  });
  expect(lines.map(({ level, fields }) => [level, fields["target"], fields["circuit"]])).toEqual([
    ["warn", "sandbox/ill-up", "open"],
    ["info", "sandbox/ill-up", "half_open"],
    ["info", "sandbox/ill-up", "closed"],
  ]);
  for (const { message } of lines) expect(message).toContain("sandbox/ill-up");
});

describe("a provider that asks for a wait", () => {
  test.each([429, 503])("with %d is paused for exactly that time after one call", async (status) => {
    gateway.sandbox.setModel("ill-up", failing(status, { headers: { "retry-after": "40" } }));
    expect(await statusOf("ill")).toBe(status);
    gateway.sandbox.setModel("ill-up", {});
    gateway.sandbox.reset();
    clock.advance(39_000);
    const response = await gateway.chat({ model: "ill" });
    expect((await errorOf(response)).code).toBe("no_target_available");
    expect(response.headers.get("retry-after")).toBe("1");
    expect(askedOf(gateway)).toEqual([]);
    clock.advance(1_000);
    expect(await statusOf("ill")).toBe(200);
  });

  test("with 429 but without a wait is asked again", async () => {
    gateway.sandbox.setModel("ill-up", failing(429));
    expect(await statusOf("ill")).toBe(429);
    gateway.sandbox.setModel("ill-up", {});
    expect(await statusOf("ill")).toBe(200);
  });
});

describe("a failure is not counted", () => {
  test("for an invalid request", async () => {
    gateway.sandbox.setModel("ill-up", failing(400));
    for (let request = 0; request < 6; request++) expect(await statusOf("ill")).toBe(400);
    gateway.sandbox.setModel("ill-up", {});
    expect(await statusOf("ill")).toBe(200);
  });

  test("for a caller that disconnects or exceeds its deadline", async () => {
    const sandbox = { fault: { kind: "stall", at: "headers" } };
    for (let request = 0; request < 4; request++) {
      const seen = gateway.sandbox.requests.length;
      const controller = new AbortController();
      const asking = gateway.chat({ model: "ill", sandbox }, { signal: controller.signal }).catch(() => null);
      await gateway.sandbox.waitFor((requests) => requests.length > seen);
      controller.abort();
      await asking;
      const headers = { "x-request-timeout-ms": "30" };
      expect((await gateway.chat({ model: "ill", sandbox }, { headers })).status).toBe(504);
    }
    expect(await statusOf("ill")).toBe(200);
  });
});

test("a fault after the first byte counts as a failure", async () => {
  const sandbox = { fault: { kind: "cut", after: 2 }, chunks: 6 };
  for (let request = 0; request < 3; request++) expect(await statusOf("ill", { stream: true, sandbox })).toBe(200);
  expect(await statusOf("ill")).toBe(503);
});
