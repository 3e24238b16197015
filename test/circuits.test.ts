import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createTestClock } from "./clock.ts";
import { until } from "./fault-matrix/until.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";
import { askedOf, errorOf, failing, modelOf, policy } from "./routing.ts";

/** A target that fails is left alone for a while, and tried with one request before it is trusted again. */

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
  // Whatever was open is tried and closed, and what failed is more than a minute ago.
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

/** The lines about circuits that an action leads to. */
async function transitionsOf(action: () => Promise<unknown>) {
  const before = gateway.log.length;
  await action();
  return gateway.log.slice(before).filter(({ message }) => message.startsWith("Circuit"));
}

test("opens after so many failures in a row, and then nobody is asked", async () => {
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

test("passes to the next model of a policy without a call, and models that share a target share its health", async () => {
  await failTimes(3);
  gateway.sandbox.reset();
  expect(await statusOf("pair")).toBe(200);
  expect(await statusOf("ill-too")).toBe(503);
  expect(askedOf(gateway)).toEqual(["well-up"]);
});

test("lets one request through after its time, and the others pass when that one is answered", async () => {
  await failTimes(3);
  gateway.sandbox.reset();
  clock.advance(30_000);
  // Nothing comes until the caller leaves.
  const controller = new AbortController();
  const sandbox = { fault: { kind: "stall", at: "headers" } };
  gateway.sandbox.setModel("ill-up", {});
  const probing = gateway.chat({ model: "ill", sandbox }, { signal: controller.signal }).catch(() => null);
  await gateway.sandbox.waitFor((requests) => requests.length === 1);
  expect(await statusOf("ill")).toBe(503);
  expect(gateway.sandbox.requests.length).toBe(1);
  // A caller who leaves says nothing of the target: the next one is the probe.
  controller.abort();
  await probing;
  await until("its place is free", () => gateway.sandbox.requests[0]?.outcome === "aborted");
  for (let request = 0; request < 3; request++) expect(await statusOf("ill")).toBe(200);
});

test("opens again where the probe fails, for as long", async () => {
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

test("each transition is one line in the log, with the target's name", async () => {
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

describe("a provider that says how long to wait", () => {
  test.each([429, 503])("with %d rests for that long after one call, and no longer", async (status) => {
    gateway.sandbox.setModel("ill-up", failing(status, { headers: { "retry-after": "40" } }));
    expect(await statusOf("ill")).toBe(503);
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

  test("with 429 and not how long is asked again", async () => {
    gateway.sandbox.setModel("ill-up", failing(429));
    expect(await statusOf("ill")).toBe(503);
    gateway.sandbox.setModel("ill-up", {});
    expect(await statusOf("ill")).toBe(200);
  });
});

describe("a target is not blamed", () => {
  test("for a request that is at fault itself", async () => {
    gateway.sandbox.setModel("ill-up", failing(400));
    for (let request = 0; request < 6; request++) expect(await statusOf("ill")).toBe(400);
    gateway.sandbox.setModel("ill-up", {});
    expect(await statusOf("ill")).toBe(200);
  });

  test("for a caller who leaves, or whose own time is up", async () => {
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

test("a fault after the first byte counts as well", async () => {
  const sandbox = { fault: { kind: "cut", after: 2 }, chunks: 6 };
  for (let request = 0; request < 3; request++) expect(await statusOf("ill", { stream: true, sandbox })).toBe(200);
  expect(await statusOf("ill")).toBe(503);
});
