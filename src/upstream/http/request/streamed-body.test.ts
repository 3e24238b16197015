import { afterEach, expect, test } from "bun:test";
import { createHttpClient } from "../client.ts";
import { ask, originOf, serve, stopServers, until, type ServedConnection } from "../http.testkit.ts";

afterEach(stopServers);

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const piecesOf = (...texts: string[]) => ({
  async *[Symbol.asyncIterator]() {
    for (const text of texts) yield new TextEncoder().encode(text);
  },
});
const answerAt = (end: string) => (connection: ServedConnection) =>
  void (connection.received.endsWith(end) && connection.socket.write(hello));

test("a body of unknown length is sent in chunks, and its connection is used again", async () => {
  const client = createHttpClient();
  const server = serve(answerAt("0\r\n\r\n"));
  const origin = originOf(client, server.url);
  for (let round = 0; round < 2; round++) {
    const told = await ask(client, origin, { body: { length: null, pieces: piecesOf("one", "", "twelve bytes") } })
      .done;
    expect(told.text).toBe("hello");
  }
  const request = `POST / HTTP/1.1\r\nhost: ${origin.host}\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\nc\r\ntwelve bytes\r\n0\r\n\r\n`;
  expect(server.connections.map(({ received }) => received)).toEqual([request + request]);
  client.close();
});

test("a body of known length is sent as it is", async () => {
  const client = createHttpClient();
  const server = serve(answerAt("three"));
  const told = await ask(client, originOf(client, server.url), {
    body: { length: 11, pieces: piecesOf("one", "two", "three") },
  }).done;
  expect(told.text).toBe("hello");
  expect(server.connections[0]?.received).toEndWith("\r\ncontent-length: 11\r\n\r\nonetwothree");
  client.close();
});

test.each([
  ["longer", 4, "it is longer than the 4 bytes that were announced"],
  ["shorter", 20, "it is shorter than the 20 bytes that were announced"],
])("a body %s than announced fails the exchange and breaks its connection", async (_, length, reason) => {
  const client = createHttpClient();
  const server = serve(() => {});
  const told = await ask(client, originOf(client, server.url), { body: { length, pieces: piecesOf("one", "two") } })
    .done;
  expect(told.failure).toMatchObject({ message: expect.stringContaining(reason), code: "REQUEST_BODY" });
  await until(() => server.connections[0]?.gone === true);
});

test("a broken body fails the exchange, and its end is not sent", async () => {
  const client = createHttpClient();
  const server = serve(() => {});
  const pieces = {
    async *[Symbol.asyncIterator]() {
      yield new TextEncoder().encode("one");
      throw new Error("the caller has left");
    },
  };
  const told = await ask(client, originOf(client, server.url), { body: { length: null, pieces } }).done;
  expect(told.failure?.message).toContain("the caller has left");
  await until(() => server.connections[0]?.gone === true);
  expect(server.connections[0]?.received).not.toContain("\r\n0\r\n");
});

test("no more of a body is read than the provider takes, and none after the exchange has ended", async () => {
  const client = createHttpClient();
  let read = 0;
  let closed = false;
  const piece = new Uint8Array(256 * 1024);
  const pieces = {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          read += piece.length;
          yield piece;
        }
      } finally {
        closed = true;
      }
    },
  };
  const server = serve(({ socket }) => socket.pause());
  const told = ask(client, originOf(client, server.url), { body: { length: null, pieces } });
  // The kernel's buffers fill up, and then nothing more is read.
  let last = -1;
  while (read !== last) {
    last = read;
    await Bun.sleep(50);
  }
  expect(read).toBeGreaterThan(0);
  server.connections[0]?.socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
  expect((await told.done).status).toBe(413);
  await until(() => closed);
  expect(read).toBeLessThanOrEqual(last + piece.length);
});

test("a large streamed body arrives whole", async () => {
  const client = createHttpClient();
  const pieces = Array.from({ length: 200 }, () => crypto.getRandomValues(new Uint8Array(50_000)));
  const body = Buffer.concat(pieces);
  const server = serve((connection) => {
    const start = connection.received.indexOf("\r\n\r\n") + 4;
    if (connection.received.length === start + body.length) connection.socket.write(hello);
  });
  const stream = {
    async *[Symbol.asyncIterator]() {
      yield* pieces;
    },
  };
  await ask(client, originOf(client, server.url), { body: { length: body.length, pieces: stream } }).done;
  const received = server.connections[0]?.received ?? "";
  expect(received.slice(received.indexOf("\r\n\r\n") + 4) === body.toString("latin1")).toBe(true);
  client.close();
});
