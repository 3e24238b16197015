import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { until } from "../until.testkit.ts";
import { startTestGateway, type TestGateway, type TestRecord } from "../gateway.testkit.ts";
import { attemptsOf } from "../routing/routing.testkit.ts";

/** A caller disconnects during a stream: the upstream call is cancelled, or drained for its exact usage. */

const clock = createTestClock();
const prices = { input: 1_000_000, output: 2_000_000 };
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    timeouts: { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 120_000 },
    providers: (url) => [
      { id: "drained", baseUrl: url, onCallerAbort: "drain", maxInFlight: 1 },
      { id: "cancelled", baseUrl: url, onCallerAbort: "cancel", maxInFlight: 1 },
    ],
    models: ["drained", "cancelled"].map((id) => ({ id, targets: [{ provider: id, model: "up" }], prices })),
    sandbox: { models: { up: { tokens: { input: 1_000, output: 50 }, chunks: 8, chunk_delay_ms: 30 } } },
  });
});
afterAll(() => gateway.stop());
afterEach(() => gateway.sandbox.reset());

/** Streams, disconnects after the first chunk, and returns the record. */
async function leave(model: string, fields: object = {}): Promise<TestRecord> {
  const controller = new AbortController();
  const response = await gateway.chat({ model, stream: true, ...fields }, { signal: controller.signal });
  const id = response.headers.get("x-service-request-id") ?? "";
  const reader = response.body?.getReader();
  await reader?.read();
  controller.abort();
  await reader?.read().catch(() => null);
  return gateway.eventualRecord(id);
}

describe("drain", () => {
  test("reads to the end and charges exactly what the provider reports", async () => {
    const record = await leave("drained");
    expect(gateway.sandbox.requests[0]?.outcome).toBe("finished");
    expect(record).toMatchObject({
      status: "cancelled",
      error: null,
      usage: { prompt_tokens: 1_000, completion_tokens: 50, measurement: { input: "provider", output: "provider" } },
      billing: { amount_microusd: 1_100, status: "charged" },
      routing: { resolved_model: "drained", status_code: 200, attempts: 1 },
    });
    expect(await attemptsOf(gateway, record.id)).toMatchObject([
      { outcome: "answered", provider_cost: "measured", provider_cost_microusd: 1_100 },
    ]);
  });

  test("frees its slot at the provider", async () => {
    await leave("drained");
    const next = await gateway.chat({ model: "drained" });
    expect(next.status).toBe(200);
    await next.json();
  });

  test("ends after a bounded time and charges what was read", async () => {
    const asking = leave("drained", { sandbox: { fault: { kind: "stall", after: 3 } } });
    await until("it stalls", () => (gateway.sandbox.requests[0]?.writesSent ?? 0) >= 3);
    // The caller has disconnected; the rest is read for at most half a minute.
    await until("the provider's call is ended", () => {
      clock.advance(1_000);
      return gateway.sandbox.requests[0]?.outcome === "aborted";
    });
    const record = await asking;
    expect(record).toMatchObject({ status: "cancelled", usage: { measurement: { output: "local_estimate" } } });
    expect(record.billing.amount_microusd).toBeGreaterThan(0);
  });

  test("does not apply to a caller that disconnects before the first byte", async () => {
    const controller = new AbortController();
    const body = { model: "drained", stream: true, sandbox: { fault: { kind: "stall", at: "headers" } } };
    const asking = gateway.chat(body, { signal: controller.signal }).catch(() => null);
    await gateway.sandbox.waitFor((requests) => requests.length === 1);
    controller.abort();
    await asking;
    await gateway.sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
  });
});

test("cancel ends the upstream call and charges an estimate of the output so far", async () => {
  const record = await leave("cancelled", { sandbox: { fault: { kind: "stall", after: 3 }, chunks: 8 } });
  await gateway.sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
  expect(record).toMatchObject({
    status: "cancelled",
    usage: { measurement: { input: "local_estimate", output: "local_estimate" } },
    routing: { resolved_model: "cancelled" },
  });
  expect(record.billing.amount_microusd).toBeGreaterThan(0);
  expect(record.billing.amount_microusd).toBeLessThan(1_100);
  const next = await gateway.chat({ model: "cancelled" });
  expect(next.status).toBe(200);
  await next.json();
});
