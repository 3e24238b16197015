import { afterEach, expect, test } from "bun:test";
import { createHttpClient } from "./client.ts";
import { ask, originOf, serve, stopServers, until, type ServedConnection } from "./http.testkit.ts";

afterEach(stopServers);

/** Writes `total` bytes as fast as the client takes them; `sent` counts what it took. */
function flood(total: number, sent: { bytes: number }) {
  const piece = Buffer.alloc(64 * 1024, "x");
  return ({ socket }: ServedConnection) => {
    const write = () => {
      while (sent.bytes < total) {
        const want = Math.min(piece.length, total - sent.bytes);
        const written = socket.write(piece, 0, want);
        if (written < 0) return;
        sent.bytes += written;
        if (written < want) break;
      }
      if (sent.bytes < total) setTimeout(write, 1);
    };
    write();
  };
}

test("a paused exchange slows the provider, and is told the rest when it is resumed", async () => {
  const client = createHttpClient();
  const total = 64 * 1024 * 1024;
  const sent = { bytes: 0 };
  const start = flood(total, sent);
  const server = serve((connection) => {
    connection.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`);
    start(connection);
  });
  const origin = originOf(client, server.url);
  const told = ask(client, origin);
  let received = 0;
  told.hook = (event) => {
    if (event === "bytes") {
      received += told.pieces.pop()?.length ?? 0;
      if (received < 2 * 1024 * 1024) told.exchange?.pause();
    }
  };
  await until(() => received > 0);
  const before = received;
  // The kernel's buffers fill up, and then nothing moves.
  let last = -1;
  while (last !== sent.bytes) {
    last = sent.bytes;
    await Bun.sleep(50);
  }
  expect(received).toBe(before);
  expect(sent.bytes).toBeLessThan(total / 2);
  // Resuming and pausing at once tells nothing by itself.
  told.exchange?.resume();
  expect(received).toBe(before);
  const resume = setInterval(() => told.exchange?.resume(), 1);
  await told.done;
  clearInterval(resume);
  expect(received).toBe(total);
  expect((await ask(client, origin, { method: "HEAD" }).done).events.at(-1)).toBe("end");
  expect(server.connections).toHaveLength(1);
  client.close();
});

test("chunks that arrived together are held while the exchange is paused between them", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) =>
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n"),
  );
  const origin = originOf(client, server.url);
  const told = ask(client, origin);
  told.hook = (event) => void (event === "bytes" && told.exchange?.pause());
  for (const text of ["a", "ab", "abc"]) {
    await until(() => told.text === text);
    await Bun.sleep(1);
    expect(told.text).toBe(text);
    told.exchange?.resume();
    expect(told.text).toBe(text);
  }
  await told.done;
  // It was paused when its last piece was told: the next exchange must not find its connection so.
  expect((await ask(client, origin).done).text).toBe("abc");
  expect(server.connections).toHaveLength(1);
  client.close();
});

test("an idle connection whose exchange paused and resumed at its last piece is still watched", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"));
  const told = ask(client, originOf(client, server.url));
  told.hook = (event) => {
    if (event !== "bytes") return;
    told.exchange?.pause();
    told.exchange?.resume();
  };
  await told.done;
  server.connections[0]?.socket.shutdown();
  await until(() => server.connections[0]?.gone === true);
});

test("what the provider sent before it closed is told to a paused exchange", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
    socket.shutdown();
  });
  const told = ask(client, originOf(client, server.url));
  told.hook = (event) => void (event === "bytes" && told.exchange?.pause());
  await until(() => told.text === "a");
  await Bun.sleep(5);
  told.exchange?.resume();
  await until(() => told.text === "ab");
  told.exchange?.resume();
  expect((await told.done).failure).toBeNull();
});

test("an exchange that is paused from the start is told nothing until it is resumed", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"));
  const origin = originOf(client, server.url);
  for (let round = 0; round < 2; round++) {
    const told = ask(client, origin);
    told.exchange?.pause();
    await until(
      () => server.connections.length === 1 && server.connections[0]?.received.split("POST").length === round + 2,
    );
    await Bun.sleep(5);
    expect(told.events).toEqual(["sent"]);
    told.exchange?.resume();
    expect((await told.done).text).toBe("a");
  }
  client.close();
});

const megabytes = 32;
const large = "ä".repeat((megabytes / 2) * 1024 * 1024);

test.each([
  ["a string", large],
  ["bytes", new TextEncoder().encode(large)],
])("a large body goes out as the provider takes it: %s", async (_, body) => {
  const client = createHttpClient();
  let received = 0;
  const hash = new Bun.CryptoHasher("sha1");
  const server = serve((connection, bytes) => {
    const start = connection.received.indexOf("\r\n\r\n");
    const before = connection.received.length - bytes.length;
    if (received === 0 && start < 0) return;
    const piece = received === 0 ? bytes.subarray(start + 4 - before) : bytes;
    connection.received = "seen";
    hash.update(piece);
    received += piece.length;
    // Now and then it reads nothing for a while.
    if (received % 7 === 0) {
      connection.socket.pause();
      setTimeout(() => connection.socket.resume(), 2);
    }
    if (received === megabytes * 1024 * 1024) connection.socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const told = await ask(client, originOf(client, server.url), { body }).done;
  expect(told.failure).toBeNull();
  expect(hash.digest("hex")).toBe(new Bun.CryptoHasher("sha1").update(large).digest("hex"));
  client.close();
});

test("an answer that comes before the request is written is whole, and its connection is not used again", async () => {
  const client = createHttpClient();
  const server = serve((connection) => {
    connection.socket.pause();
    if (connection.index === 0) connection.socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
  });
  const origin = originOf(client, server.url);
  const told = await ask(client, origin, { body: large }).done;
  expect([told.status, told.text]).toEqual([413, "big"]);
  const next = ask(client, origin);
  await until(() => server.connections.length === 2);
  next.exchange?.cancel();
});

test("answers of fast providers are told in several turns of the event loop, whatever has arrived", async () => {
  const client = createHttpClient();
  const total = 4 * 1024 * 1024;
  const server = serve((connection) => {
    connection.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`);
    flood(total, { bytes: 0 })(connection);
  });
  const origin = originOf(client, server.url);
  const asked = Array.from({ length: 4 }, () => ask(client, origin));
  let turn = 0;
  const inTurn = new Map<number, number>();
  for (const told of asked) {
    told.hook = (event) => {
      if (event !== "bytes") return;
      const until = performance.now() + 2;
      while (performance.now() < until) continue;
      inTurn.set(turn, (inTurn.get(turn) ?? 0) + 1);
    };
  }
  let over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  count();
  await Promise.all(asked.map(({ done }) => done));
  over = true;
  for (const { pieces } of asked) expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(total);
  // Twice 10 ms, and 16 pieces that are not timed.
  expect(Math.max(...inTurn.values())).toBeLessThan(30);
  client.close();
});
