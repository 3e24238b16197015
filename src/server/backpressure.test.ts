import type { Socket } from "bun";
import { afterEach, describe, expect, test } from "bun:test";
import type { ServerExchange } from "./exchange.ts";
import { RawClient, serve, stopAll, until } from "./server.testkit.ts";

afterEach(stopAll);

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** Writes `total` bytes as fast as the caller takes them; counts what was written. */
function flood(exchange: ServerExchange, total: number, size: number, sent: { bytes: number }): void {
  const piece = Buffer.alloc(size, "x");
  const write = () => {
    while (sent.bytes < total) {
      sent.bytes += size;
      if (!exchange.write(piece)) return;
    }
    exchange.onDrain = null;
    exchange.end();
  };
  exchange.onDrain = write;
  exchange.startStream(200, {});
  write();
}

describe("a stream that its caller does not take", () => {
  test.each([100, 5_000, 100_000])("in pieces of %d bytes is held up, and goes on when it does", async (size) => {
    const total = 32_000_000;
    const sent = { bytes: 0 };
    const server = serve((exchange) => flood(exchange, total, size, sent));
    const client = await RawClient.connect(server);
    client.pause();
    client.write(get);
    await until(() => sent.bytes > 0);
    let last = -1;
    while (last !== sent.bytes) {
      last = sent.bytes;
      await Bun.sleep(30);
    }
    // The kernel has taken some, and the server no more than its bound.
    expect(sent.bytes).toBeLessThan(total / 2);
    client.resume();
    await until(() => client.received.endsWith("\r\n0\r\n\r\n"));
    expect(client.received.split("x").length - 1).toBe(total);
    expect(server.connections).toBe(1);
  });

  test("is not drained once it has been destroyed", async () => {
    let drained = 0;
    let left = 0;
    const server = serve((exchange) => {
      exchange.onDrain = () => drained++;
      exchange.onClose = () => left++;
      exchange.startStream(200, {});
      while (exchange.write(Buffer.alloc(65_536)));
      setTimeout(() => exchange.destroy(), 5);
    });
    const client = await RawClient.connect(server);
    client.pause();
    client.write(get);
    await until(() => server.connections === 1);
    await until(() => server.connections === 0);
    expect([drained, left]).toEqual([0, 0]);
  });
});

test("a further request waits until the answer before it has been taken", async () => {
  let handled = 0;
  const server = serve((exchange) => {
    handled++;
    exchange.respond(200, {}, Buffer.alloc(16 << 20));
  });
  const client = await RawClient.connect(server);
  client.pause();
  client.write(get + get);
  await Bun.sleep(50);
  expect(handled).toBe(1);
  client.resume();
  await until(() => handled === 2);
});

describe("a body that its reader does not take", () => {
  /** Sends as much as the connection takes, until all is sent or `isOver`. */
  async function upload(port: number, total: number, isOver: () => boolean): Promise<number> {
    let sent = 0;
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${total}\r\n\r\n`;
    const piece = Buffer.alloc(1 << 20);
    const write = (socket: Socket) => {
      while (sent < total) {
        const written = socket.write(piece, 0, Math.min(piece.length, total - sent));
        sent += Math.max(0, written);
        if (written < piece.length) return;
      }
    };
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: { data() {}, drain: write, error() {} },
    });
    socket.write(head);
    write(socket);
    let last = -1;
    while (last !== sent && !isOver()) {
      last = sent;
      await Bun.sleep(50);
    }
    const sentUntilPause = sent;
    await until(() => sent === total || isOver());
    socket.end();
    return sentUntilPause;
  }

  test("is held up, and goes on when it does", async () => {
    const total = 64 << 20;
    let received = 0;
    let isComplete = false;
    let wasPaused = false;
    const server = serve((exchange) => {
      exchange.readBody({
        onBytes(bytes) {
          received += bytes.length;
          if (wasPaused || received < 1 << 20) return;
          wasPaused = true;
          exchange.pauseBody();
          setTimeout(() => exchange.resumeBody(), 400);
        },
        onEnd() {
          isComplete = true;
          exchange.respond(200, {}, "done");
        },
        onFailure(reason) {
          throw new Error(reason);
        },
      });
    });
    const sentUntilPause = await upload(server.port, total, () => isComplete);
    await until(() => isComplete);
    expect(received).toBe(total);
    expect(sentUntilPause).toBeLessThan(total / 2);
  });

  test("does not count as late while it is held up, and does afterwards", async () => {
    let heldUpFor = 0;
    const failed = Promise.withResolvers<string>();
    const server = serve(
      (exchange) => {
        const pausedAt = performance.now();
        exchange.readBody({ onBytes() {}, onEnd() {}, onFailure: failed.resolve });
        exchange.pauseBody();
        setTimeout(() => {
          heldUpFor = performance.now() - pausedAt;
          exchange.resumeBody();
        }, 400);
      },
      { limits: { bodyIdleMs: 100 } },
    );
    await RawClient.connect(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
    expect(await failed.promise).toBe("The body is late.");
    expect(heldUpFor).toBeGreaterThanOrEqual(395);
  });

  test("may be answered while it is held up: the rest is read over, and the connection goes on", async () => {
    const server = serve((exchange) => {
      if (exchange.method === "GET") {
        exchange.respond(200, {}, "next");
        return;
      }
      exchange.readBody({ onBytes() {}, onEnd() {}, onFailure() {} });
      exchange.pauseBody();
      exchange.respond(413, {}, "too large");
    });
    const client = await RawClient.connect(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
    await until(() => client.received.includes("too large"));
    client.write(`cde${get}`);
    await until(() => client.received.includes("next"));
  });
});

test("a stream with its length in a header is sent as it is, and its connection goes on", async () => {
  const server = serve((exchange) => {
    exchange.startStream(200, { "content-length": "6" });
    exchange.write(Buffer.from("abc"));
    exchange.write(Buffer.from("def"));
    exchange.end();
  });
  const client = await RawClient.connect(server, get + get);
  await until(
    () => client.received.endsWith("abcdef") && client.received.indexOf("abcdef") < client.received.length - 6,
  );
  expect(client.received).not.toContain("chunked");
});

const stalledReaders = 200;
const maxBytesEach = 128 << 10;

const floodingServer = `
import { listen } from ${JSON.stringify(new URL("server.ts", import.meta.url).pathname)};
const server = listen({
  hostname: "127.0.0.1",
  port: 0,
  onError(error) { throw error; },
  handle(exchange) {
    const write = () => { while (exchange.write(Buffer.alloc(16384))); };
    exchange.onDrain = write;
    exchange.startStream(200, {});
    write();
  },
});
console.log(server.port);
for await (const line of console) {
  Bun.gc(true);
  console.log(process.memoryUsage.rss(), server.connections);
}`;

test(`${stalledReaders} callers that read nothing of a fast stream cost the server at most ${maxBytesEach >> 10} KB each`, async () => {
  const child = Bun.spawn([process.execPath, "-e", floodingServer], { stdin: "pipe", stdout: "pipe" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const port = Number((await lines.read()).value);
  const measure = async () => {
    void child.stdin.write("\n");
    await child.stdin.flush();
    const [rss, connections] = ((await lines.read()).value ?? "").split(" ").map(Number);
    return { rss: rss ?? 0, connections: connections ?? 0 };
  };
  const stall = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const client = await RawClient.connect({ port });
      client.pause();
      client.write(get);
    }
    await Bun.sleep(500);
  };
  try {
    // What the server needs for its first streams is not a reader's.
    await stall(20);
    const before = await measure();
    await stall(stalledReaders);
    const after = await measure();
    expect(after.connections).toBe(20 + stalledReaders);
    expect((after.rss - before.rss) / stalledReaders).toBeLessThan(maxBytesEach);
  } finally {
    child.kill();
    await child.exited;
  }
});
