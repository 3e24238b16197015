import { afterEach, describe, expect, test } from "bun:test";
import type { ServerExchange } from "./exchange.ts";
import { usualLimits } from "./limits.ts";
import { listen } from "./server.ts";
import { bodyOf, RawClient, send, serve, stopAll, until } from "./server.testkit.ts";

afterEach(stopAll);

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const lastGet = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** Answers with the method, the target and the body. */
async function echo(exchange: ServerExchange): Promise<void> {
  const body = await bodyOf(exchange);
  exchange.respond(200, {}, `${exchange.method} ${exchange.target} ${body.toString("latin1")}`);
}

const echoing = (exchange: ServerExchange) => void echo(exchange);

describe("time limits", () => {
  function atClock(handle: (exchange: ServerExchange) => void = echoing) {
    let now = 0;
    const server = serve(handle, { now: () => now });
    return {
      server,
      pass: (ms: number) => {
        now += ms;
        server.check();
      },
    };
  }

  test("end a connection that says nothing, before and between requests", async () => {
    const { server, pass } = atClock();
    const silent = await RawClient.connect(server);
    const used = await RawClient.connect(server, get);
    await until(() => used.received.endsWith("GET / ") && server.connections === 2);
    pass(usualLimits.headMs - 1);
    await Bun.sleep(1);
    expect([silent.ended, used.ended]).toEqual([false, false]);
    pass(1);
    await until(() => silent.ended);
    expect(silent.received).toBe("");
    pass(usualLimits.idleMs - usualLimits.headMs - 1);
    await Bun.sleep(1);
    expect(used.ended).toBe(false);
    pass(1);
    await until(() => used.ended);
  });

  test("end a head that is sent slowly, with a 408", async () => {
    const { server, pass } = atClock();
    const client = await RawClient.connect(server, get);
    await until(() => client.received.endsWith("GET / "));
    pass(9_000);
    client.write("GET / HTTP/1.1\r\n");
    await Bun.sleep(2);
    for (let sent = 0; sent < 9; sent++) {
      pass(1_000);
      client.write("A: b\r\n");
      await Bun.sleep(1);
    }
    expect(client.ended).toBe(false);
    pass(1_000);
    await until(() => client.ended);
    expect(client.received).toContain("HTTP/1.1 408 Request Timeout\r\n");
  });

  test("end a body that does not go on, and leave it to its reader to answer", async () => {
    const failures: string[] = [];
    const { server, pass } = atClock((exchange) => {
      bodyOf(exchange).catch((error: unknown) => {
        failures.push(String(error));
        exchange.respond(408, {}, "late");
      });
    });
    const client = await RawClient.connect(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n");
    for (const piece of "abc") {
      await Bun.sleep(2);
      pass(59_000);
      client.write(piece);
    }
    await Bun.sleep(2);
    expect(failures).toEqual([]);
    pass(60_000);
    await until(() => client.received.endsWith("late"));
    expect(failures).toEqual(["Error: The body is late."]);
  });

  test("do not end an answer that is being prepared or streamed", async () => {
    const { server, pass } = atClock((exchange) => {
      if (exchange.target === "/stream") exchange.startStream(200, {});
    });
    const clients = [
      await RawClient.connect(server, get),
      await RawClient.connect(server, get.replace("/", "/stream")),
    ];
    await until(() => clients[1]?.received.endsWith("\r\n\r\n") === true);
    pass(1_000_000);
    await Bun.sleep(2);
    expect(clients.map(({ ended }) => ended)).toEqual([false, false]);
  });

  test("end a caller that does not take the rest of its answer", async () => {
    const { server, pass } = atClock((exchange) => exchange.respond(200, {}, Buffer.alloc(32 << 20)));
    const client = await RawClient.connect(server);
    client.pause();
    client.write(get);
    await Bun.sleep(50);
    expect(server.connections).toBe(1);
    pass(60_000);
    await until(() => server.connections === 0);
  });

  describe("of the reader of a stream", () => {
    /** Streams 32 MB, as fast as it is taken, once `begin` is called. */
    function streaming() {
      const state = { begin: () => {}, isClosed: false };
      const { server, pass } = atClock((exchange) => {
        let left = 320;
        const write = () => {
          while (left > 0) {
            left--;
            if (!exchange.write(Buffer.alloc(100_000, "x"))) return;
          }
          exchange.onDrain = null;
          exchange.end();
        };
        exchange.onDrain = write;
        exchange.onClose = () => (state.isClosed = true);
        exchange.limitReader();
        exchange.startStream(200, { "content-length": "32000000" });
        state.begin = write;
      });
      return { server, pass, state };
    }

    test("end it if nothing is taken of it", async () => {
      const { server, pass, state } = streaming();
      const client = await RawClient.connect(server, get);
      await until(() => client.received.endsWith("\r\n\r\n"));
      client.pause();
      state.begin();
      await Bun.sleep(50);
      pass(usualLimits.sendIdleMs - 1);
      expect(server.connections).toBe(1);
      pass(1);
      await until(() => server.connections === 0);
      expect(state.isClosed).toBe(true);
    });

    test("do not end it if it is made slowly, or taken slowly", async () => {
      const { server, pass, state } = streaming();
      const client = await RawClient.connect(server, get);
      await until(() => client.received.endsWith("\r\n\r\n"));
      pass(1_000_000);
      client.pause();
      state.begin();
      for (let round = 0; round < 5; round++) {
        await Bun.sleep(20);
        pass(usualLimits.sendIdleMs - 1);
        const before = client.received.length;
        client.resume();
        await until(() => client.received.length > before + 4_000_000);
        client.pause();
      }
      client.resume();
      await until(() => client.received.split("x").length === 32_000_001);
      expect(client.ended).toBe(false);
    });
  });
});

describe("listening", () => {
  test("on a port that is taken is an error", () => {
    const { port } = serve(echoing);
    const again = () => listen({ hostname: "127.0.0.1", port, handle: echoing, onError() {} });
    expect(again).toThrow(expect.objectContaining({ code: "EADDRINUSE" }));
  });

  test("has an address, also of IPv6", async () => {
    const server = serve(echoing, { hostname: "::1" });
    expect(server.url).toBe(`http://[::1]:${server.port}`);
    expect(await (await fetch(server.url)).text()).toBe("GET / ");
  });

  test("lets in only so many connections", async () => {
    const server = serve(echoing, { limits: { maxConnections: 2 } });
    const clients = [await RawClient.connect(server), await RawClient.connect(server)];
    await until(() => server.connections === 2);
    const third = await RawClient.connect(server, get);
    expect(await third.all()).toStartWith("HTTP/1.1 503 Service Unavailable\r\n");
    clients[0]?.close();
    await until(() => server.connections === 1);
    expect(await send(server, lastGet)).toEndWith("GET / ");
  });

  test("stops: idle connections are closed, requests finish, and the port is free", async () => {
    const waiting: ServerExchange[] = [];
    const server = serve((exchange) => void waiting.push(exchange));
    const idle = await RawClient.connect(server);
    const busy = await RawClient.connect(server, get);
    await until(() => waiting.length === 1 && server.connections === 2);
    let stopped = false;
    const stopping = server.stop().then(() => (stopped = true));
    await until(() => idle.ended);
    expect([busy.ended, stopped]).toEqual([false, false]);
    const again = listen({ hostname: "127.0.0.1", port: server.port, handle: echoing, onError() {} });
    await again.stop();
    waiting[0]?.respond(200, {}, "last");
    expect(await busy.all()).toMatch(/connection: close\r\n[^]*last$/);
    await stopping;
  });

  test("stops at once by force", async () => {
    const closed: string[] = [];
    const server = serve((exchange) => {
      exchange.onClose = () => closed.push(exchange.target);
    });
    const client = await RawClient.connect(server, get);
    await Bun.sleep(5);
    await server.stop(true);
    await until(() => client.ended);
    expect(closed).toEqual(["/"]);
  });
});
