import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createTestClock } from "./clock.ts";
import { until } from "./fault-matrix/until.ts";
import { startTestGateway, type TestGateway, type TestRecord } from "./gateway.ts";
import { attemptsOf } from "./routing.ts";

/** A caller who leaves in mid-stream: the provider's call is ended, or read on for its exact usage. */

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

/** Streams, leaves after the first piece, and gives the record. */
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
  test("reads on, and charges exactly what the provider reports", async () => {
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
      { outcome: "cancelled", provider_cost: "measured", provider_cost_microusd: 1_100 },
    ]);
  });

  test("gives its place at the provider back", async () => {
    await leave("drained");
    const next = await gateway.chat({ model: "drained" });
    expect(next.status).toBe(200);
    await next.json();
  });

  test("ends in a bounded time, and then charges what was read", async () => {
    const asking = leave("drained", { sandbox: { fault: { kind: "stall", after: 3 } } });
    await until("it stalls", () => (gateway.sandbox.requests[0]?.writesSent ?? 0) >= 3);
    // The caller has left by now or does at once; the rest is waited for no longer than half a minute.
    await until("the provider's call is ended", () => {
      clock.advance(1_000);
      return gateway.sandbox.requests[0]?.outcome === "aborted";
    });
    const record = await asking;
    expect(record).toMatchObject({ status: "cancelled", usage: { measurement: { output: "local_estimate" } } });
    expect(record.billing.amount_microusd).toBeGreaterThan(0);
  });

  test("is not for a caller who leaves before the first byte", async () => {
    const controller = new AbortController();
    const body = { model: "drained", stream: true, sandbox: { fault: { kind: "stall", at: "headers" } } };
    const asking = gateway.chat(body, { signal: controller.signal }).catch(() => null);
    await gateway.sandbox.waitFor((requests) => requests.length === 1);
    controller.abort();
    await asking;
    await gateway.sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
  });
});

test("cancel ends the provider's call, and charges an estimate of what was produced", async () => {
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
