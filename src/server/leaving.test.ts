import { afterEach, describe, expect, test } from "bun:test";
import { request as nodeRequest } from "node:http";
import type { ServerExchange } from "./exchange.ts";
import { bodyOf, RawClient, serve, stopAll, until } from "./server.testkit.ts";

afterEach(stopAll);

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** A server whose requests wait to be answered by the test. */
function waitingServer() {
  const exchanges: ServerExchange[] = [];
  let left = 0;
  const server = serve((exchange) => {
    exchange.onClose = () => left++;
    exchanges.push(exchange);
    if (exchange.target === "/stream") {
      exchange.startStream(200, {});
      exchange.write(Buffer.from("begin"));
    }
  });
  return {
    server,
    exchanges,
    /** How many callers have left. */
    get left() {
      return left;
    },
  };
}

describe("a caller that closes only its sending side", () => {
  test("gets its answer, and then the connection is closed", async () => {
    const { server, exchanges } = waitingServer();
    const client = await RawClient.connect(server, get);
    await until(() => exchanges.length === 1);
    client.halfClose();
    await until(() => client.received === "HTTP/1.1 100 Continue\r\n\r\n");
    await Bun.sleep(20);
    expect(exchanges[0]?.isClosed).toBe(false);
    exchanges[0]?.respond(200, {}, "answer");
    expect(await client.all()).toEndWith("\r\n\r\nanswer");
    await until(() => server.connections === 0);
  });

  test("gets it if the end comes with the request, as do all requests before it", async () => {
    const server = serve((exchange) => exchange.respond(200, {}, "answer"));
    const client = await RawClient.connect(server, get.repeat(100));
    client.halfClose();
    expect((await client.all()).split("200 OK")).toHaveLength(101);
  });

  test("gets its stream, in which a digit before the next chunk's size asks whether it is there", async () => {
    const { server, exchanges } = waitingServer();
    const client = await RawClient.connect(server, get.replace("/", "/stream"));
    await until(() => client.received.endsWith("begin\r\n"));
    client.halfClose();
    await until(() => client.received.endsWith("begin\r\n0"));
    exchanges[0]?.write(Buffer.from("middle"));
    await until(() => client.received.endsWith("begin\r\n06\r\nmiddle\r\n"));
    exchanges[0]?.end();
    expect(await client.all()).toEndWith("middle\r\n0\r\n\r\n");
  });

  test("may end at once after the question", async () => {
    const { server, exchanges } = waitingServer();
    const client = await RawClient.connect(server, get.replace("/", "/stream"));
    await until(() => client.received.endsWith("begin\r\n"));
    client.halfClose();
    await until(() => client.received.endsWith("begin\r\n0"));
    exchanges[0]?.end();
    expect(await client.all()).toEndWith("begin\r\n00\r\n\r\n");
  });

  test("of HTTP/1.0 is not asked", async () => {
    const { server, exchanges } = waitingServer();
    const client = await RawClient.connect(server, "GET / HTTP/1.0\r\n\r\n");
    await until(() => exchanges.length === 1);
    client.halfClose();
    await Bun.sleep(20);
    expect(client.received).toBe("");
    exchanges[0]?.respond(200, {}, "answer");
    expect(await client.all()).toEndWith("answer");
  });

  test("within a body has left", async () => {
    const failures: string[] = [];
    let left = 0;
    const server = serve((exchange) => {
      exchange.onClose = () => left++;
      bodyOf(exchange).catch((error: unknown) => failures.push(String(error)));
    });
    const client = await RawClient.connect(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc");
    await Bun.sleep(5);
    client.halfClose();
    await until(() => failures.length === 1);
    expect([left, failures[0]]).toEqual([1, "Error: The caller closed the connection."]);
  });

  test("within a head or between requests is let go", async () => {
    const server = serve((exchange) => exchange.respond(200, {}, "answer"));
    const clients = [await RawClient.connect(server, "GET / HT"), await RawClient.connect(server, get)];
    await until(() => clients[1]?.received.endsWith("answer") === true);
    for (const client of clients) client.halfClose();
    await until(() => server.connections === 0 && clients.every(({ ended }) => ended));
  });
});

/** Clients that leave in different ways, before and within an answer. */
const clients: Readonly<Record<string, (url: string) => Promise<() => void>>> = {
  "a fetch that is aborted": async (url) => {
    const controller = new AbortController();
    fetch(url, { signal: controller.signal })
      .then((response) => response.text())
      .catch(() => {});
    return () => controller.abort();
  },
  "a node:http request that is destroyed": async (url) => {
    const request = nodeRequest(url, (response) => response.resume());
    request.on("error", () => {});
    request.end();
    return () => void request.destroy();
  },
  "curl that is killed": async (url) => {
    const curl = Bun.spawn(["curl", "-sN", url], { stdout: "ignore", stderr: "ignore" });
    return () => curl.kill();
  },
  "a socket that is closed": async (url) => {
    const { port, pathname } = new URL(url);
    const client = await RawClient.connect({ port: Number(port) }, get.replace("/", pathname));
    return () => client.close();
  },
};

describe("a caller that leaves is noticed:", () => {
  for (const [name, start] of Object.entries(clients)) {
    test.each(["/", "/stream"])(`${name}, at %s`, async (path) => {
      const waiting = waitingServer();
      const leave = await start(waiting.server.url + path);
      await until(() => waiting.exchanges.length === 1);
      await Bun.sleep(30);
      expect(waiting.left).toBe(0);
      const before = performance.now();
      leave();
      await until(() => waiting.left === 1);
      expect(performance.now() - before).toBeLessThan(500);
      expect(waiting.exchanges[0]?.isClosed).toBe(true);
      // The rest goes nowhere.
      waiting.exchanges[0]?.write(Buffer.from("more"));
      waiting.exchanges[0]?.end();
      await until(() => waiting.server.connections === 0);
    });
  }

  test("also while its further requests wait", async () => {
    const waiting = waitingServer();
    const client = await RawClient.connect(waiting.server, get + get);
    await until(() => waiting.exchanges.length === 1);
    client.close();
    await until(() => waiting.left === 1);
    expect(waiting.exchanges).toHaveLength(1);
  });
});
