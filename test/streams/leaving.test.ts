import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ByteUpstream, says, startByteUpstream } from "../byte-upstream.testkit.ts";
import { startTestGateway, type TestGateway, type TestRecord } from "../gateway.testkit.ts";
import { openRaw } from "../raw-http.testkit.ts";
import { done, idOf } from "../sse-text.testkit.ts";
import { until } from "../until.testkit.ts";

/** Callers that stop reading or disconnect: the upstream call, memory and charge. */

let upstream: ByteUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startByteUpstream();
  gateway = await startTestGateway({
    providers: () => [{ id: "bytes", baseUrl: upstream.url }],
    models: [{ id: "bytes", targets: [{ provider: "bytes", model: "bytes" }] }],
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** The head and body of a streaming request on a raw connection. */
function rawRequest(fields: object): string {
  const body = JSON.stringify({ stream: true, messages: [{ role: "user", content: "Go on" }], ...fields });
  const lines = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, `Content-Length: ${Buffer.byteLength(body)}`];
  return ["POST /v1/chat/completions HTTP/1.1", ...lines, "", body].join("\r\n");
}

test("a caller that stops reading applies backpressure to the provider, and memory stays constant", async () => {
  const event = Buffer.from(`data: ${says("x".repeat(16_000))}\n\n`);
  let sent = 0;
  let left = false;
  upstream.answerWith(async (response) => {
    let go = () => {};
    response.on("drain", () => go());
    response.on("close", () => {
      left = true;
      go();
    });
    for (;;) {
      if (left) return;
      sent += event.length;
      if (!response.write(event)) await new Promise<void>((resolve) => (go = resolve));
    }
  });
  const logged = gateway.log.length;
  const connection = await openRaw(gateway.url);
  connection.send(rawRequest({ model: "bytes" }));
  await connection.received("data: ");
  connection.pause();
  const before = process.memoryUsage.rss();
  const stalledAt = await settledValue(() => sent);
  // The system's buffers of two loopback connections.
  expect(stalledAt).toBeLessThan(64 << 20);
  expect(process.memoryUsage.rss() - before).toBeLessThan(96 << 20);
  connection.resume();
  await until("the provider is read again", () => sent > stalledAt);
  connection.reset();
  await until("the caller has left", () => left);
  const record = await recordAfter(logged);
  expect(record).toMatchObject({ status: "cancelled", usage: { measurement: { output: "local_estimate" } } });
  expect(record.billing.amount_microusd).toBeGreaterThan(0);
});

/** Waits until the value is stable. */
async function settledValue(read: () => number): Promise<number> {
  let value = read();
  let same = 0;
  await until("a stable value", () => {
    const now = read();
    same = now === value ? same + 1 : 0;
    value = now;
    return same === 40;
  });
  return value;
}

/** The record of the first request logged after the given number of lines. */
async function recordAfter(lines: number): Promise<TestRecord> {
  await until("a log line", () => gateway.log.length > lines);
  return gateway.record(String(gateway.log[lines]?.fields["request_id"]));
}

describe("a caller that disconnects", () => {
  const aborted = () => gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
  const arrived = (count: number) => gateway.sandbox.waitFor((requests) => requests.length > count);

  test.each([true, false])(
    "before the first byte (stream: %p): cancelled, free, the provider's call ended",
    async (stream) => {
      for (const fault of [
        { kind: "stall", at: "headers" },
        { kind: "stall", at: "first_byte" },
      ]) {
        const before = gateway.sandbox.requests.length;
        const logged = gateway.log.length;
        const controller = new AbortController();
        const asking = gateway.chat({ stream, sandbox: { fault } }, { signal: controller.signal });
        await arrived(before);
        controller.abort();
        expect(
          await asking.then(
            () => null,
            (error: Error) => error.name,
          ),
        ).toBe("AbortError");
        await aborted();
        expect(await recordAfter(logged)).toMatchObject({
          status: "cancelled",
          stream,
          error: null,
          billing: { amount_microusd: 0, line_items: [] },
          routing: { status_code: 499, attempts: 1, resolved_model: null, time_to_first_byte_ms: null },
        });
      }
    },
  );

  test("during a stream: cancelled, charged for the output so far, upstream call cancelled", async () => {
    const controller = new AbortController();
    const sandbox = { chunks: ["one", " two", " three", " four"], fault: { kind: "stall", after: 4 } };
    const response = await gateway.chat({ stream: true, sandbox }, { signal: controller.signal });
    const reader = response.body?.getReader();
    let received = "";
    while (!received.includes(" three")) received += new TextDecoder().decode((await reader?.read())?.value);
    controller.abort();
    await aborted();
    const record = await gateway.eventualRecord(idOf(response) ?? "");
    expect(record).toMatchObject({
      status: "cancelled",
      stream: true,
      error: null,
      usage: { completion_tokens: 3, measurement: { input: "local_estimate", output: "local_estimate" } },
      billing: { status: "charged" },
      routing: { status_code: 200, resolved_model: "sandbox-chat" },
    });
    expect(record.billing.amount_microusd).toBe(
      Math.floor((record.usage.prompt_tokens * 250_000 + 500_000) / 1_000_000) + 3 * 2,
    );
  });

  test("during a JSON answer: cancelled, free of charge", async () => {
    const before = gateway.sandbox.requests.length;
    const logged = gateway.log.length;
    const controller = new AbortController();
    const asking = gateway.chat({ sandbox: { fault: { kind: "stall" } } }, { signal: controller.signal });
    await arrived(before);
    await gateway.sandbox.waitFor((requests) => requests.at(-1)?.status === 200);
    controller.abort();
    await asking.catch(() => undefined);
    await aborted();
    expect(await recordAfter(logged)).toMatchObject({ status: "cancelled", billing: { amount_microusd: 0 } });
  });

  test("after the end: succeeded", async () => {
    const logged = gateway.log.length;
    const connection = await openRaw(gateway.url);
    connection.send(rawRequest({ model: "sandbox-chat" }));
    await connection.received(done.trimEnd());
    connection.reset();
    expect(await recordAfter(logged)).toMatchObject({ status: "succeeded", stream: true });
  });

  test("while no record can be stored: the gateway keeps running", async () => {
    const broken = await startTestGateway();
    try {
      const controller = new AbortController();
      const sandbox = { fault: { kind: "stall", after: 2 } };
      const response = await broken.chat({ stream: true, sandbox }, { signal: controller.signal });
      await response.body?.getReader().read();
      const database = new Database(broken.storageUrl.slice("sqlite:".length));
      database.run("drop table requests");
      database.close();
      const journal = join(broken.folder, "journal");
      rmSync(journal, { recursive: true });
      writeFileSync(journal, "in the way");
      // The gateway notices within moments.
      while ((await broken.fetch("/readyz")).status === 200) await Bun.sleep(5);
      controller.abort();
      await until("a log line", () =>
        broken.log.some(({ message }) => message.startsWith("a record could not be kept")),
      );
      expect((await broken.fetch("/healthz")).status).toBe(200);
      expect(await (await broken.chat()).json()).toMatchObject({ error: { code: "storage_unavailable" } });
    } finally {
      await broken.stop();
    }
  });
});
