import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { type ByteUpstream, finish, says, startByteUpstream, usage, usageChunk } from "../byte-upstream.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { openRaw } from "../raw-http.testkit.ts";
import { done } from "../sse-text.testkit.ts";

/** Callers that close their sending side as soon as their request is sent: they still read. */

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

/** The next request that the provider gets, which the test answers. */
function nextCall(): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  upstream.answerWith(async (response) => resolve(response));
  return promise;
}

/** Sends a request, and what a client sends when it is done with sending. */
async function askHalfClosed(fields: object) {
  const body = JSON.stringify({ model: "bytes", messages: [{ role: "user", content: "Hi" }], ...fields });
  const lines = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, `Content-Length: ${body.length}`];
  const connection = await openRaw(gateway.url);
  connection.send(["POST /v1/chat/completions HTTP/1.1", ...lines, "", body].join("\r\n"));
  connection.close();
  return connection;
}

/** The records of requests that were logged after so many lines. */
async function recordsAfter(lines: number) {
  const ids = gateway.log.slice(lines).map(({ fields }) => fields["request_id"]);
  return Promise.all(ids.filter((id) => typeof id === "string").map((id) => gateway.record(id)));
}

const event = (data: string) => `data: ${data}\n\n`;
const stream = event(says("Hello")) + event(finish) + event(usageChunk) + done;

describe("a caller that closes its sending side after its request", () => {
  test("gets its answer, and has one record that succeeded", async () => {
    const logged = gateway.log.length;
    const called = nextCall();
    const connection = await askHalfClosed({});
    const response = await called;
    // The gateway asks whether it is there.
    await connection.received("HTTP/1.1 100 Continue\r\n\r\n");
    response.end(stream);
    await connection.received("HTTP/1.1 200 OK\r\n");
    await connection.received('"content":"Hello"');
    await connection.closed;
    expect(await recordsAfter(logged)).toMatchObject([{ status: "succeeded", usage }]);
  });

  test("gets its stream to the end, and has one record that succeeded", async () => {
    const logged = gateway.log.length;
    const called = nextCall();
    const connection = await askHalfClosed({ stream: true });
    const response = await called;
    await connection.received("HTTP/1.1 100 Continue\r\n\r\n");
    response.write(event(says("Hello")));
    await connection.received("Hello");
    await Bun.sleep(50);
    response.end(event(finish) + event(usageChunk) + done);
    await connection.received(`${done}\r\n0\r\n\r\n`);
    await connection.closed;
    expect(await recordsAfter(logged)).toMatchObject([{ status: "succeeded", stream: true, usage }]);
  });

  test("may leave afterwards: then its request is cancelled", async () => {
    const logged = gateway.log.length;
    const called = nextCall();
    const connection = await askHalfClosed({});
    const response = await called;
    const left = new Promise((resolve) => response.on("close", resolve));
    await connection.received("HTTP/1.1 100 Continue\r\n\r\n");
    connection.reset();
    await left;
    while (gateway.log.length === logged) await Bun.sleep(5);
    expect(await recordsAfter(logged)).toMatchObject([{ status: "cancelled", billing: { amount_microusd: 0 } }]);
  });
});
