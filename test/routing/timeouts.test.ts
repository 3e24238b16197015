import { afterAll, beforeAll, expect, test } from "bun:test";
import { openDeafPort } from "../fault-matrix/deaf-port.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The four time limits of a call, each exceeded separately. */

const patient = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000, totalMs: 60_000 };
const limitMs = 250;

let gateway: TestGateway;
let deafPort: Awaited<ReturnType<typeof openDeafPort>>;
beforeAll(async () => {
  deafPort = await openDeafPort();
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "connect", baseUrl: `http://127.0.0.1:${deafPort.port}/v1`, timeouts: { ...patient, connectMs: limitMs } },
      { id: "first-byte", baseUrl: url, timeouts: { ...patient, firstByteMs: limitMs } },
      { id: "idle", baseUrl: url, timeouts: { ...patient, idleMs: limitMs } },
      { id: "total", baseUrl: url, timeouts: { ...patient, totalMs: limitMs } },
    ],
    models: ["connect", "first-byte", "idle", "total"].map((id) => ({
      id,
      targets: [{ provider: id, model: `${id}-up` }],
      prices: { input: 1_000_000, output: 1_000_000 },
    })),
    sandbox: {
      models: {
        "first-byte-up": { fault: { kind: "stall", at: "first_byte" } },
        "idle-up": { fault: { kind: "stall", after: 2 } },
        // Never idle, and never complete.
        "total-up": { chunks: 1_000, chunk_delay_ms: 5 },
      },
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  deafPort.close();
});

const beforeTheFirstByte = [
  ["connect", "connect_timeout"],
  ["first-byte", "first_byte_timeout"],
] as const;

test.each(beforeTheFirstByte)("%s: 504, for JSON and streams", async (model, code) => {
  for (const stream of [false, true]) {
    const startedAt = performance.now();
    const response = await gateway.chat({ model, stream });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: { type: "upstream_timeout", code } });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(limitMs - 1);
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "failed", error: { code }, billing: { amount_microusd: 0 } });
  }
});

const midStream = [
  ["idle", "idle_timeout"],
  ["total", "total_timeout"],
] as const;

test.each(midStream)("%s: an error event during the stream, and no charge", async (model, code) => {
  const text = Array.from({ length: 1_000 }, () => "word").join(" ");
  const response = await gateway.chat({ model, stream: true, messages: [{ role: "user", content: text }] });
  expect(response.status).toBe(200);
  const body = await response.text();
  expect(body).toContain(`"code":"${code}"`);
  expect(body).not.toContain("[DONE]");
  const record = await gateway.record(response.headers.get("x-service-request-id"));
  expect(record).toMatchObject({ status: "failed", error: { code }, billing: { amount_microusd: 0 } });
});
