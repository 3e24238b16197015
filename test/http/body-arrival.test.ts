import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { openRaw, type RawConnection } from "../raw-http.testkit.ts";
import { chatBody, type Expected, expectUntouched, type Refusal, refusedAndRecorded } from "./refusals.testkit.ts";

/** Bodies that are too large, too slow, chunked, or not of the declared length. */

const maxBodyBytes = 2 << 20;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ server: { maxBodyBytes, bodyTimeoutMs: 300 } });
});
afterAll(() => gateway.stop());
afterEach(() => expectUntouched(gateway));

/** The head of a chat request with the gateway's key. */
function head(...lines: readonly string[]): string {
  const fixed = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, "Content-Type: application/json"];
  return ["POST /v1/chat/completions HTTP/1.1", ...fixed, ...lines, "", ""].join("\r\n");
}

async function onConnection<Result>(use: (connection: RawConnection) => Promise<Result>): Promise<Result> {
  const connection = await openRaw(gateway.url);
  try {
    return await use(connection);
  } finally {
    connection.reset();
  }
}

async function answerOf(connection: RawConnection): Promise<Refusal> {
  const { status, headers, body } = await connection.response();
  return { status, headers: { get: (name) => headers[name] }, body };
}

const tooLarge: Expected = { status: 413, type: "request_too_large", code: "body_too_large", param: null };

describe("the size of a body", () => {
  test("a declared length over the limit is refused before the body arrives", async () => {
    await onConnection(async (connection) => {
      connection.send(head(`Content-Length: ${maxBodyBytes + 1}`));
      await refusedAndRecorded(gateway, () => answerOf(connection), tooLarge);
    });
  });

  test("a declared length that is too large for an integer is refused", async () => {
    await onConnection(async (connection) => {
      connection.send(head("Content-Length: 99999999999"));
      await refusedAndRecorded(gateway, () => answerOf(connection), tooLarge);
    });
  });

  test("chunks are refused as soon as they exceed the limit", async () => {
    await onConnection(async (connection) => {
      connection.send(head("Transfer-Encoding: chunked"));
      const piece = "x".repeat(1 << 20);
      for (let sent = 0; sent <= maxBodyBytes; sent += piece.length) connection.send(`100000\r\n${piece}\r\n`);
      await refusedAndRecorded(gateway, () => answerOf(connection), tooLarge);
    });
  });

  test("a body of exactly the limit is accepted", async () => {
    const sent = chatBody({});
    const padded = sent + " ".repeat(maxBodyBytes - Buffer.byteLength(sent));
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: padded };
    const response = await gateway.fetch("/v1/chat/completions", init);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  test("chunks are joined, with any boundaries", async () => {
    await onConnection(async (connection) => {
      const sent = Buffer.from(chatBody({ messages: [{ role: "user", content: "Grüße an 日本 🎉" }] }));
      connection.send(head("Transfer-Encoding: chunked"));
      for (const byte of sent)
        connection.send(Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), Buffer.from("\r\n")]));
      connection.send("0\r\n\r\n");
      const response = await connection.response();
      expect(response.status).toBe(200);
      expect(Buffer.from(gateway.sandbox.requests.at(-1)?.body ?? [])).toEqual(sent);
      expect(response.body).toContain("Grüße an 日本 🎉");
    });
  });
});

const slow: Expected = { status: 408, code: "body_timeout", param: null };

describe("an incomplete body", () => {
  test("a body shorter than its length: 408", async () => {
    await onConnection(async (connection) => {
      connection.send(`${head("Content-Length: 5000")}${chatBody({})}`);
      await refusedAndRecorded(gateway, () => answerOf(connection), slow);
    });
  });

  test("a trickle of bytes: 408 at the time limit", async () => {
    await onConnection(async (connection) => {
      connection.send(head("Transfer-Encoding: chunked"));
      const dripping = setInterval(() => connection.send("1\r\n \r\n"), 20);
      try {
        await refusedAndRecorded(gateway, () => answerOf(connection), slow);
      } finally {
        clearInterval(dripping);
      }
    });
  });

  test("a caller that disconnects during the body: no charge, no provider call", async () => {
    const before = gateway.sandbox.requests.length;
    const lines = gateway.log.length;
    await onConnection(async (connection) => {
      connection.send(`${head("Content-Length: 5000")}{"model":`);
      connection.close();
      await connection.closed;
    });
    const good = await gateway.chat();
    await good.arrayBuffer();
    expect(gateway.sandbox.requests.length).toBe(before + 1);
    for (const { fields } of gateway.log.slice(lines, -1)) expect(fields).toMatchObject({ amount_microusd: 0 });
  });

  test("a body longer than its length: the rest is not read as a request, and the connection is closed", async () => {
    const before = gateway.sandbox.requests.length;
    await onConnection(async (connection) => {
      connection.send(`${head("Content-Length: 10")}${chatBody({})}`);
      expect((await connection.response()).status).toBe(400);
      await connection.closed;
    });
    expect(gateway.sandbox.requests.length).toBe(before);
  });

  test("a refused body does not become part of the next request on the connection", async () => {
    await onConnection(async (connection) => {
      const smuggled = "POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\n\r\n";
      connection.send(`${head("Content-Encoding: compress", `Content-Length: ${smuggled.length}`)}${smuggled}`);
      expect((await connection.response()).status).toBe(415);
      const next = chatBody({});
      connection.send(`${head(`Content-Length: ${next.length}`)}${next}`);
      expect((await connection.response()).status).toBe(200);
    });
  });
});
