import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openRaw, type RawConnection } from "../raw-http.testkit.ts";
import { chatAnswer, chunk } from "./answers.testkit.ts";
import { writeForever } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Callers that take their answers slowly, not at all, or not to the end. */

const firstReaders = 20;
const stalledReaders = 100;
const maxBytesOfReader = 256 << 10;
/** Long enough for a provider that is not held back to fill the memory, and for what waits to be packed. */
const settleMs = 4_000;
/** By when garbage has been collected too. */
const collectedMs = 60_000;

describe.skipIf(process.platform !== "linux")("readers", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    const piece = Buffer.from(chunk("x".repeat(16_000)));
    gateway = await startWatchedGateway({
      models: {
        good: { dialect: "openai-chat", behave: chatAnswer("openai-chat") },
        fast: {
          dialect: "openai-chat",
          behave(response) {
            response.writeHead(200, { "content-type": "text/event-stream" });
            writeForever(response, piece);
          },
        },
        brief: {
          dialect: "openai-chat",
          behave(response) {
            response.writeHead(200, { "content-type": "text/event-stream" });
            writeForever(response, piece);
          },
          provider: {
            timeouts: { total_ms: 1_500, idle_ms: 1_000, first_byte_ms: 1_000, connect_ms: 1_000 },
            circuit: { failures: 1 },
          },
        },
      },
    });
    for (let count = 0; count < 60; count++) await (await gateway.chat({ model: "good" })).text();
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  async function openStalled(model: string, count: number): Promise<RawConnection[]> {
    const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Go on" }] });
    const lines = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, `Content-Length: ${body.length}`];
    const request = ["POST /v1/chat/completions HTTP/1.1", ...lines, "", body].join("\r\n");
    const connections: RawConnection[] = [];
    for (let index = 0; index < count; index++) {
      const connection = await openRaw(gateway.url);
      connection.send(request);
      connections.push(connection);
      await connection.received("data: ");
      connection.pause();
    }
    return connections;
  }

  test("a stalled reader of a fast provider holds at most 256 KB", async () => {
    let perReader = Infinity;
    const { unrecorded } = await gateway.attack(`${stalledReaders} stalled readers`, async () => {
      // The first readers pay for what a gateway keeps for any number of them.
      const connections = await openStalled("fast", firstReaders);
      const few = await gateway.leastMemory(settleMs);
      connections.push(...(await openStalled("fast", stalledReaders - firstReaders)));
      const endsAt = performance.now() + collectedMs;
      do {
        const many = await gateway.leastMemory(settleMs);
        perReader = (many - few) / (stalledReaders - firstReaders);
      } while (perReader >= maxBytesOfReader && performance.now() < endsAt);
      for (const connection of connections) connection.reset();
    });
    expect(perReader).toBeLessThan(maxBytesOfReader);
    expect(unrecorded).toBe(0);
  }, 180_000);

  test("six readers that stall until total_ms pay, and the provider's circuit stays closed", async () => {
    const before = gateway.records().length;
    const { stall, unrecorded } = await gateway.attack("6 readers stalled to the end", async () => {
      const connections = await openStalled("brief", 6);
      while (gateway.records().length < before + 6) await Bun.sleep(20);
      for (const connection of connections) connection.reset();
    });
    const ended = gateway.records().slice(before);
    expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "cancelled"));
    for (const { amount } of ended) expect(amount).toBeGreaterThan(0);
    const [next] = await openStalled("brief", 1);
    next?.reset();
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  });

  test("a caller's own deadline within a stream is not a free ride", async () => {
    const before = gateway.records().length;
    const { stall, unrecorded } = await gateway.attack("20 deadlines within a stream", async () => {
      const ask = async () => {
        const response = await gateway.chat({ model: "fast", stream: true }, { "x-request-timeout-ms": "1000" });
        expect((await response.text()).length).toBeGreaterThan(16_000);
      };
      await Promise.all(Array.from({ length: 20 }, ask));
    });
    const ended = gateway.records().slice(before);
    expect(ended.length).toBeGreaterThanOrEqual(20);
    for (const { amount } of ended) expect(amount).toBeGreaterThan(0);
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  });
});
