import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chatAnswer, chunk } from "./answers.testkit.ts";
import { writeForever } from "./hostile-provider.testkit.ts";
import { openStalled } from "./stalled-readers.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Callers that take their answers slowly, not at all, or not to the end. */

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
    while (gateway.records().length < 60) await Bun.sleep(10);
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  test("six readers that stall until total_ms pay, and the provider's circuit stays closed", async () => {
    const before = gateway.records().length;
    const { stall, unrecorded } = await gateway.attack("6 readers stalled to the end", async () => {
      const connections = await openStalled(gateway, "brief", 6);
      while (gateway.records().length < before + 6) await Bun.sleep(20);
      for (const connection of connections) connection.reset();
    });
    const ended = gateway.records().slice(before);
    expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "cancelled"));
    for (const { amount } of ended) expect(amount).toBeGreaterThan(0);
    const [next] = await openStalled(gateway, "brief", 1);
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
