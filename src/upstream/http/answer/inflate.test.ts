import { afterEach, expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { createHttpClient } from "../client.ts";
import { ask, originOf, serve, stopServers, until } from "../http.testkit.ts";

afterEach(stopServers);

const text = "The quick brown fox jumps over the lazy dog. ".repeat(5_000) + crypto.randomUUID();

const codings: [string, Buffer][] = [
  ["gzip", gzipSync(text)],
  ["X-GZip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["br", brotliCompressSync(text)],
  ["zstd", zstdCompressSync(text)],
];

/** Answers with `body`, compressed so, in pieces of a few bytes. */
function serveCompressed(coding: string, body: Buffer, pieceBytes: number) {
  return serve(({ socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
    let at = 0;
    const next = () => {
      socket.write(body.subarray(at, at + pieceBytes));
      at += pieceBytes;
      if (at < body.length) setImmediate(next);
    };
    next();
  });
}

test.each(codings)("%s is decompressed", async (coding, body) => {
  for (const pieceBytes of [body.length, 7]) {
    const client = createHttpClient();
    const server = serveCompressed(coding, body, pieceBytes);
    const origin = originOf(client, server.url);
    for (let round = 0; round < 2; round++) {
      const told = await ask(client, origin).done;
      expect(told.failure).toBeNull();
      expect(told.text === text).toBe(true);
      expect(told.events.slice(0, 3)).toEqual(["sent", "head", "bytes"]);
    }
    expect(server.connections).toHaveLength(1);
    client.close();
  }
});

test.each(codings)("%s that is cut or spoiled is not given as whole", async (coding, body) => {
  for (const spoiled of [
    body.subarray(0, body.length - 9),
    Buffer.concat([body.subarray(0, 20), Buffer.alloc(50, 0xa5)]),
  ]) {
    const client = createHttpClient();
    const told = await ask(client, originOf(client, serveCompressed(coding, spoiled, 1_000_000).url)).done;
    expect(told.failure?.kind).toBe("invalid");
    expect(told.events).not.toContain("end");
    client.close();
  }
});

test.each(["compress", "gzip, br", "aes128gcm"])("the coding %s is refused", async (coding) => {
  const client = createHttpClient();
  const told = await ask(client, originOf(client, serveCompressed(coding, Buffer.from("abc"), 3).url)).done;
  expect(told.failure).toMatchObject({ kind: "invalid", message: expect.stringContaining("Content-Encoding") });
  expect(told.events).toEqual(["sent", "failure"]);
});

test("a coding without a body is ignored", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"),
  );
  const told = await ask(client, originOf(client, server.url)).done;
  expect(told.events).toEqual(["sent", "head", "end"]);
  const empty = serve(({ socket }) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
  );
  expect((await ask(client, originOf(client, empty.url)).done).events).toEqual(["sent", "head", "end"]);
  client.close();
});

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

test("a body that inflates beyond its limit is refused", async () => {
  const client = createHttpClient({ maxInflatedBytes: 1_000_000 });
  const server = serveCompressed("gzip", bomb, bomb.length);
  const told = await ask(client, originOf(client, server.url)).done;
  expect(told.failure).toMatchObject({
    kind: "invalid",
    message: expect.stringContaining("larger than 1000000 bytes"),
  });
  expect(told.pieces.reduce((sum, piece) => sum + piece.length, 0)).toBeLessThanOrEqual(1_000_000);
});

test("a paused exchange does not inflate further", async () => {
  const client = createHttpClient();
  const told = ask(client, originOf(client, serveCompressed("gzip", bomb, bomb.length).url));
  let inflated = 0;
  told.hook = (event) => {
    if (event !== "bytes") return;
    inflated += told.pieces.pop()?.length ?? 0;
    if (inflated < 1_000_000) told.exchange?.pause();
  };
  for (let last = 0; ;) {
    await until(() => inflated > last);
    const now = inflated;
    if (now >= 1_000_000) break;
    await Bun.sleep(2);
    expect(inflated).toBe(now);
    expect(now - last).toBeLessThan(200_000);
    last = now;
    told.exchange?.resume();
  }
  await told.done;
  expect(inflated).toBe(64 * 1024 * 1024);
  client.close();
});

test("a cancelled exchange gets no further events", async () => {
  const client = createHttpClient();
  const server = serveCompressed("gzip", bomb, bomb.length);
  const told = ask(client, originOf(client, server.url));
  told.hook = (event) => void (event === "bytes" && told.exchange?.cancel());
  await until(() => told.pieces.length > 0);
  await Bun.sleep(5);
  expect(told.events).toEqual(["sent", "head", "bytes"]);
  client.close();
});
