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
