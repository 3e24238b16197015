import { afterEach, expect, test } from "bun:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { createHttpClient } from "./client.ts";
import { ask, originOf, serve, stopServers, until } from "./http.testkit.ts";

afterEach(stopServers);

const hello = (headers = "") => `HTTP/1.1 200 OK\r\n${headers}Content-Length: 5\r\n\r\nhello`;

/** A client whose time stands still until it is set. */
function clockedClient() {
  const clock = { at: 1_000_000 };
  const client = createHttpClient({ now: () => clock.at });
  return { client, clock };
}

test.each([
  ["Connection: close", "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 5\r\n\r\nhello", 2],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", 2],
  [
    "HTTP/1.0 with Connection: keep-alive",
    "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello",
    1,
  ],
  ["Keep-Alive: timeout=1", "HTTP/1.1 200 OK\r\nKeep-Alive: max=5, timeout=1\r\nContent-Length: 5\r\n\r\nhello", 2],
  ["no word of it", hello(), 1],
])("a connection is used again as the provider says: %s", async (_, answer, connections) => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(answer));
  const origin = originOf(client, server.url);
  for (let round = 0; round < 2; round++) expect((await ask(client, origin).done).text).toBe("hello");
  expect(server.connections).toHaveLength(connections);
  client.close();
});

test("idle connections are closed after 60 s, or a second before the provider closes them", async () => {
  const { client, clock } = clockedClient();
  const server = serve(({ socket, received }) =>
    socket.write(hello(received.includes("GET") ? "Keep-Alive: timeout=10\r\n" : "")),
  );
  const origin = originOf(client, server.url);
  const [long, short] = [ask(client, origin), ask(client, origin, { method: "GET" })];
  await Promise.all([long.done, short.done]);
  const closed = () => server.connections.filter((connection) => connection.gone).length;
  clock.at += 8_900;
  client.check();
  await ask(client, originOf(client, server.url)).done;
  expect(closed()).toBe(0);
  clock.at += 1_100;
  client.check();
  await until(() => closed() === 1);
  clock.at += 49_900;
  client.check();
  clock.at += 1_100;
  client.check();
  await until(() => closed() >= 2);
});

test("a connection past its time is not used, even if no check has closed it yet", async () => {
  const { client, clock } = clockedClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  await ask(client, origin).done;
  clock.at += 60_000;
  await ask(client, origin).done;
  expect(server.connections).toHaveLength(2);
  client.close();
});

test("at most 256 connections of an address are kept", async () => {
  const client = createHttpClient();
  const waiting: (() => void)[] = [];
  const server = serve(({ socket }) => void waiting.push(() => socket.write(hello())));
  const origin = originOf(client, server.url);
  const told = Array.from({ length: 300 }, () => ask(client, origin).done);
  await until(() => waiting.length === 300);
  for (const answer of waiting) answer();
  await Promise.all(told);
  await until(() => server.connections.filter((connection) => connection.gone).length === 44);
  client.close();
  await until(() => server.connections.every((connection) => connection.gone));
});

test("after close, connections are closed as their exchanges end", async () => {
  const client = createHttpClient();
  const server = serve(({ socket, received }) => void (received.endsWith("go") && socket.write(hello())));
  const told = ask(client, originOf(client, server.url), { body: "go" });
  client.close();
  expect((await told.done).text).toBe("hello");
  await until(() => server.connections[0]?.gone === true);
});

test.each([
  ["with it", `${hello()}!`, null],
  ["after it", hello(), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"],
])("a byte that follows an answer, %s, closes the connection and reaches no exchange", async (_, answer, later) => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(answer));
  const origin = originOf(client, server.url);
  const first = await ask(client, origin).done;
  expect(first.events).toEqual(["sent", "head", "bytes", "end"]);
  if (later !== null) server.connections[0]?.socket.write(later);
  await until(() => server.connections[0]?.gone === true);
  expect((await ask(client, origin).done).text).toBe("hello");
  expect(server.connections).toHaveLength(2);
  expect(first.events).toHaveLength(4);
  client.close();
});

test.each([
  ["before any byte", "", "unreachable"],
  ["within the head", "HTTP/1.1 200 OK\r\nContent-", "cut"],
  ["after an interim answer", "HTTP/1.1 100 Continue\r\n\r\n", "cut"],
  ["within the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "cut"],
  ["within the chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "cut"],
])("a connection that ends %s", async (_, answer, kind) => {
  const client = createHttpClient();
  for (const end of ["end", "close", "terminate"] as const) {
    const server = serve(({ socket }) => {
      socket.write(answer);
      if (end === "end") socket.shutdown();
      else socket[end]();
    });
    const told = await ask(client, originOf(client, server.url)).done;
    expect(told.failure?.kind).toBe(kind as "cut");
    expect(told.events.at(-1)).toBe("failure");
    expect(told.events).not.toContain("end");
    await until(() => server.connections.every(({ gone }) => gone));
  }
});

test("an answer without a length ends with the provider's half of the connection", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\nhello");
    socket.shutdown();
  });
  const told = await ask(client, originOf(client, server.url)).done;
  expect(told.failure).toBeNull();
  expect(told.text).toBe("hello");
  await until(() => server.connections[0]?.gone === true);
});

test("an answer without a length that ends with a reset is cut", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => void socket.write("HTTP/1.1 200 OK\r\n\r\nhello"));
  const told = ask(client, originOf(client, server.url));
  await until(() => told.pieces.length > 0);
  server.connections[0]?.socket.terminate();
  expect((await told.done).failure).toMatchObject({ kind: "cut", code: "ECONNRESET" });
});

test("a malformed answer closes its connection", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"));
  const told = await ask(client, originOf(client, server.url)).done;
  expect(told.failure).toEqual({
    kind: "invalid",
    message: "The provider's answer is malformed: its Content-Length is malformed.",
    code: null,
  });
  expect(told.events).toEqual(["sent", "failure"]);
  await until(() => server.connections[0]?.gone === true);
});

test("a GET is repeated once if a kept connection breaks without an answer, and a POST never", async () => {
  const client = createHttpClient();
  let breaking = false;
  const server = serve(({ socket }) => void (breaking ? socket.close() : socket.write(hello())));
  const origin = originOf(client, server.url);
  await ask(client, origin).done;
  breaking = true;
  const post = await ask(client, origin, { body: "once" }).done;
  expect(post.failure?.kind).toBe("unreachable");
  expect(server.connections).toHaveLength(1);

  breaking = false;
  await ask(client, origin).done;
  breaking = true;
  const get = await ask(client, origin, { method: "GET" }).done;
  expect(get.failure?.kind).toBe("unreachable");
  expect(get.events).toEqual(["sent", "sent", "failure"]);
  expect(server.connections).toHaveLength(3);
  expect(
    server.connections
      .map(({ received }) => received)
      .join("")
      .split("once"),
  ).toHaveLength(2);
});

test("a GET on a new connection is not repeated", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.close());
  const told = await ask(client, originOf(client, server.url), { method: "GET" }).done;
  expect(told.failure?.kind).toBe("unreachable");
  expect(server.connections).toHaveLength(1);
});

test("a connection that the provider has closed while it was idle is not used", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  await ask(client, origin).done;
  server.connections[0]?.socket.shutdown();
  await until(() => server.connections[0]?.gone === true);
  expect((await ask(client, origin, { body: "{}" }).done).text).toBe("hello");
  expect(server.connections).toHaveLength(2);
  client.close();
});

test("a cancelled exchange gets no further events, and its connection is closed", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) =>
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n"),
  );
  const told = ask(client, originOf(client, server.url));
  told.hook = (event) => {
    if (event === "bytes") told.exchange?.cancel();
  };
  await until(() => server.connections[0]?.gone === true);
  expect(told.events).toEqual(["sent", "head", "bytes"]);
  told.exchange?.cancel();
});

test("cancelling an ended exchange leaves its connection to the next one", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  const first = await ask(client, origin).done;
  const second = ask(client, origin);
  first.exchange?.cancel();
  first.exchange?.pause();
  expect((await second.done).text).toBe("hello");
  expect(server.connections).toHaveLength(1);
  client.close();
});

test("a connection whose exchange is cancelled while it is being established serves the next", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  const first = ask(client, origin);
  first.exchange?.cancel();
  expect((await ask(client, origin).done).text).toBe("hello");
  expect(first.events).toEqual([]);
  expect(server.connections).toHaveLength(1);
  client.close();
});

test("a deadline is reported once for each value, and the exchange continues", async () => {
  const { client, clock } = clockedClient();
  const server = serve(({ socket, received }) => void (received.includes("more") && socket.write(hello())));
  const told = ask(client, originOf(client, server.url), { body: "wait" });
  const { exchange } = told;
  if (exchange === null) throw new Error("no exchange");
  exchange.deadlineAt = clock.at + 100;
  client.check();
  clock.at += 99;
  client.check();
  expect(told.events).not.toContain("deadline");
  clock.at += 1;
  client.check();
  client.check();
  expect(told.events.filter((event) => event === "deadline")).toHaveLength(1);
  exchange.deadlineAt += 1;
  clock.at += 1;
  client.check();
  expect(told.events.filter((event) => event === "deadline")).toHaveLength(2);
  exchange.deadlineAt = Infinity;
  client.check();
  await until(() => server.connections.length === 1);
  server.connections[0]?.socket.write(hello());
  expect((await told.done).text).toBe("hello");
  exchange.deadlineAt = 0;
  client.check();
  expect(told.events.at(-1)).toBe("end");
  client.close();
});

test("an exchange can be cancelled at its deadline while it is still being connected", async () => {
  const { client, clock } = clockedClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const told = ask(client, originOf(client, server.url));
  if (told.exchange !== null) told.exchange.deadlineAt = clock.at;
  told.hook = () => told.exchange?.cancel();
  await endOfTurn();
  client.check();
  expect(told.events).toEqual(["deadline"]);
  await until(() => server.connections.length === 1);
  client.close();
});

test("an exchange that is cancelled in the turn in which it was asked for opens no connection", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  const cancelled = ask(client, origin);
  cancelled.exchange?.cancel();
  await endOfTurn();
  const { done } = ask(client, origin);
  await done;
  expect(cancelled.events).toEqual([]);
  expect(server.connections).toHaveLength(1);
  client.close();
});

test("exchanges that are asked for in one turn all begin, each on a connection of its own", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  const all = Array.from({ length: 5 }, () => ask(client, origin));
  await Promise.all(all.map(({ done }) => done));
  expect(server.connections).toHaveLength(5);
  client.close();
});

test("a request may be answered from within the telling of another's end", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  const first = ask(client, origin);
  let second: ReturnType<typeof ask> | null = null;
  first.hook = (event) => {
    if (event !== "end") return;
    second = ask(client, origin);
    expect(second.events).toEqual([]);
  };
  await first.done;
  await until(() => second?.events.at(-1) === "end");
  expect(server.connections).toHaveLength(1);
  client.close();
});

test("an error thrown by the listener fails its exchange only", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()));
  const origin = originOf(client, server.url);
  const told = ask(client, origin);
  told.hook = (event) => {
    if (event === "head") throw new Error("a fault of the listener");
  };
  expect((await told.done).failure).toMatchObject({
    kind: "cut",
    message: expect.stringContaining("a fault of the listener"),
  });
  expect((await ask(client, origin).done).text).toBe("hello");
  client.close();
});

test.each(["127.0.0.1", "::1"])("a name with addresses of both families is reached at %s alone", async (hostname) => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello()), { hostname });
  const told = await ask(client, originOf(client, `http://localhost:${server.port}`)).done;
  expect(told.text).toBe("hello");
  client.close();
});

test("a name that has no address is unreachable", async () => {
  const client = createHttpClient();
  const told = await ask(client, originOf(client, "http://nowhere.invalid")).done;
  expect(told.failure).toMatchObject({ kind: "unreachable", code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) });
});

test.each([
  ["ftp://host", "The provider's URL must begin with http:// or https://, not ftp:."],
  ["nonsense", 'The provider\'s URL is not a URL: "nonsense".'],
])("an origin is refused for the URL %s", (url, message) => {
  expect(() => originOf(createHttpClient(), url)).toThrow(message);
});

test("an origin has the parts of its URL", () => {
  const client = createHttpClient();
  expect(originOf(client, "https://[::1]:8443/v1")).toMatchObject({
    protocol: "https:",
    hostname: "::1",
    port: 8443,
    host: "[::1]:8443",
  });
  expect(originOf(client, "http://api.example:80")).toMatchObject({
    hostname: "api.example",
    port: 80,
    host: "api.example",
  });
});
