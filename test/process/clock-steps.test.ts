import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { steadyClock } from "../../src/clock.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The wall clock is set while requests run: no time limit fires for it, none fails to fire, and no duration is odd. */

const idleMs = 400;
const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    steady: steadyClock,
    timeouts: { connectMs: 5_000, firstByteMs: 1_000, idleMs, totalMs: 3_000 },
  });
});
afterAll(() => gateway.stop());

const minutes = 60_000;
const steps = [
  ["15 minutes ahead", 15 * minutes],
  ["15 minutes back", -15 * minutes],
] as const;

/** Asks for a stream, sets the clock after its first piece, and reads to the end. */
async function askWithStep(step: number, sandbox: object, headers: Readonly<Record<string, string>> = {}) {
  const startedAt = clock.now();
  const startedTick = performance.now();
  const response = await gateway.chat({ stream: true, sandbox }, { headers });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (!reader) throw new Error("The answer has no body.");
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (text === "") clock.advance(step);
    text += decoder.decode(part.value, { stream: true });
  }
  const tookMs = performance.now() - startedTick;
  const record = await gateway.eventualRecord(response.headers.get("x-service-request-id") ?? "");
  const { latency_ms, time_to_first_byte_ms, upstream_ms } = record.routing;
  for (const duration of [latency_ms, time_to_first_byte_ms, upstream_ms]) {
    if (duration !== null) expect(duration).toBeWithin(0, Math.ceil(tookMs) + 1);
  }
  // By the wall clock as it was when the request arrived, in whole seconds.
  expect(record.created_at).toBeWithin(Math.floor(startedAt / 1000), Math.ceil((startedAt + tookMs) / 1000) + 1);
  const [line] = gateway.log.filter(({ fields }) => fields["request_id"] === record.id);
  expect(line?.fields["latency_ms"]).toBeWithin(0, Math.ceil(tookMs) + 1);
  return { text, tookMs, record };
}

describe.each(steps)("the wall clock is set %s", (_name, step) => {
  test("a healthy stream goes on to its end", async () => {
    const { text, record } = await askWithStep(step, { text: "word ".repeat(12), chunks: 12, chunk_delay_ms: 30 });
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(record.status).toBe("succeeded");
    expect(record.routing.latency_ms).toBeGreaterThan(200);
  });

  test("a stream that stalls is ended by the limit of silence, in its time", async () => {
    const { text, tookMs, record } = await askWithStep(step, { fault: { kind: "stall", at: "body", after: 2 } });
    expect(text).toContain("idle_timeout");
    expect(tookMs).toBeWithin(idleMs - 1, 10_000);
    expect(record).toMatchObject({ status: "failed", billing: { amount_microusd: 0 } });
  });

  test("the caller's own deadline is kept", async () => {
    const { tookMs, record } = await askWithStep(
      step,
      { chunk_delay_ms: 50, text: "word ".repeat(400), chunks: 400 },
      { "x-request-timeout-ms": "500" },
    );
    expect(tookMs).toBeWithin(499, 2_900);
    expect(record.status).toBe("cancelled");
  });

  test("the limit of the whole call is kept", async () => {
    const { tookMs, record } = await askWithStep(step, {
      chunk_delay_ms: 50,
      text: "word ".repeat(400),
      chunks: 400,
    });
    expect(tookMs).toBeWithin(2_999, 15_000);
    expect(record).toMatchObject({ status: "failed", error: { code: "total_timeout" } });
  });

  test("requests per minute are neither freed nor blocked", async () => {
    const { key } = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const ask = async () => {
      const response = await gateway.chat({}, { headers: { authorization: `Bearer ${key}` } });
      await response.arrayBuffer();
      return response;
    };
    expect((await ask()).status).toBe(200);
    clock.advance(step);
    const refusal = await ask();
    expect(refusal.status).toBe(429);
    expect(Number(refusal.headers.get("retry-after"))).toBeWithin(1, 61);
  });
});
