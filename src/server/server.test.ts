import { afterEach, describe, expect, test } from "bun:test";
import { request as nodeRequest } from "node:http";
import type { ServerExchange } from "./exchange.ts";
import { bodyOf, RawClient, send, serve, stopAll, until, withoutDate } from "./server.testkit.ts";

afterEach(stopAll);

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const lastGet = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const plain = { "content-type": "text/plain" };

/** Answers with the method, the target and the body. */
async function echo(exchange: ServerExchange): Promise<void> {
  const body = await bodyOf(exchange);
  exchange.respond(200, plain, `${exchange.method} ${exchange.target} ${body.toString("latin1")}`);
}

const echoing = (exchange: ServerExchange) => void echo(exchange);

describe("an answer", () => {
  test("has a status line, a date, its headers and its length, and the connection stays", async () => {
    const server = serve((exchange) => exchange.respond(200, { ...plain, "x-a": "b" }, "h\u00e9llo \u{1f600}"));
    const client = await RawClient.connect(server, get);
    const answer =
      "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nx-a: b\r\ncontent-length: 11\r\n\r\n" +
      Buffer.from("h\u00e9llo \u{1f600}").toString("latin1");
    await until(() => withoutDate(client.received) === answer);
    expect(client.received).toMatch(/\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
    client.write(get);
    await until(() => withoutDate(client.received) === answer + answer);
  });

  test("may be given as bytes, as nothing, and for HEAD has its length alone", async () => {
    const bodies = [Buffer.from([0xff, 0x00]), null, "text"];
    const server = serve((exchange) => exchange.respond(200, {}, bodies.shift() ?? null));
    const all = await send(server, `${get}${get}HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(withoutDate(all)).toBe(
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n\xff\0" +
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" +
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 4\r\n\r\n",
    );
  });

  test.each([204, 304])("of status %d has no length", async (status) => {
    const server = serve((exchange) => exchange.respond(status, {}, null));
    expect(withoutDate(await send(server, lastGet))).toEndWith("\r\nconnection: close\r\n\r\n");
  });

  test.each(["a\r\nb: c", "a\nb", "a\0", "\u010a", "\u{1f600}"])("cannot have a header like %j", async (value) => {
    const errors: unknown[] = [];
    const server = serve((exchange) => exchange.respond(200, { "x-a": value }, "body"), {
      onError: (error) => errors.push(error),
    });
    expect(await send(server, get)).toStartWith("HTTP/1.1 500 ");
    expect(String(errors)).toBe("Error: The header x-a of an answer is malformed.");
  });

  test("of any size arrives whole, as text and as bytes", async () => {
    for (const size of [1, 80_000, 90_000, 300_000, 5_000_001]) {
      // Characters of one to four bytes, cut at any place.
      const text = "a\u00e9\u20ac\u{1f600}".repeat(size / 5 + 1).slice(0, size);
      const server = serve((exchange) =>
        exchange.respond(200, {}, exchange.target === "/text" ? text : Buffer.from(text)),
      );
      for (const path of ["/text", "/bytes"]) {
        const response = await fetch(server.url + path);
        const received = Buffer.from(await response.arrayBuffer());
        expect(received.equals(Buffer.from(text)), `${size} ${path}`).toBe(true);
      }
    }
  });

  test("is given once: what comes after it does nothing", async () => {
    const server = serve((exchange) => {
      exchange.respond(200, {}, "one");
      exchange.respond(200, {}, "two");
      exchange.startStream(200, {});
      expect(exchange.write(Buffer.from("three"))).toBe(true);
      exchange.end();
      exchange.destroy();
    });
    const all = await send(server, lastGet);
    expect(all).toEndWith("\r\n\r\none");
  });
});

describe("a stream", () => {
  const pieces = ["one ", "two ", "three"];

  function stream(exchange: ServerExchange): void {
    exchange.startStream(200, plain);
    for (const piece of pieces) exchange.write(Buffer.from(piece));
    exchange.end();
  }

  test("is sent in chunks, those of one turn as one", async () => {
    const server = serve(stream);
    expect(withoutDate(await send(server, lastGet))).toBe(
      "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n" +
        "d\r\none two three\r\n0\r\n\r\n",
    );
  });

  test("is sent without chunks to a caller of HTTP/1.0, and to HEAD without a body", async () => {
    const server = serve(stream);
    expect(withoutDate(await send(server, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"))).toBe(
      "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\none two three",
    );
    expect(await send(server, lastGet.replace("GET", "HEAD"))).toEndWith("connection: close\r\n\r\n");
  });

  test("may be empty, and its head is not held back", async () => {
    let exchange: ServerExchange | null = null;
    const server = serve((next) => {
      exchange = next;
      next.startStream(200, {});
    });
    const client = await RawClient.connect(server, get);
    await until(() => client.received.endsWith("\r\n\r\n"));
    (exchange as ServerExchange | null)?.end();
    await until(() => client.received.endsWith("\r\n\r\n0\r\n\r\n"));
  });

  test("sends a piece before the next turn", async () => {
    let exchange: ServerExchange | null = null;
    const server = serve((next) => {
      exchange = next;
      next.startStream(200, {});
    });
    const client = await RawClient.connect(server, get);
    for (const piece of pieces) {
      await until(() => exchange !== null);
      (exchange as ServerExchange | null)?.write(Buffer.from(piece));
      await until(() => client.received.endsWith(`${piece}\r\n`));
    }
    (exchange as ServerExchange | null)?.end();
    client.write(get);
    await until(() => client.received.split("HTTP/1.1 200").length === 3);
  });

  test("that is destroyed breaks off", async () => {
    const server = serve((exchange) => {
      exchange.onClose = () => {
        throw new Error("It did not leave by itself.");
      };
      exchange.startStream(200, {});
      exchange.write(Buffer.from("one"));
      setTimeout(() => exchange.destroy(), 1);
    });
    const response = await fetch(server.url);
    const failure = await response.text().then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).not.toBeNull();
  });
});

describe("a body", () => {
  test("that comes with its head is there at once, with a length or in chunks", async () => {
    const bodies: (Uint8Array | null)[] = [];
    const server = serve((exchange) => {
      bodies.push(exchange.body);
      exchange.respond(200, {}, "");
    });
    await send(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
    await send(
      server,
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
    );
    await send(server, lastGet);
    expect(bodies.map((body) => body && Buffer.from(body).toString())).toEqual(["abc", "abc", ""]);
  });

  test("is read wherever it is cut, as are the requests around it", async () => {
    const server = serve(echoing);
    const text =
      "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" +
      "POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" +
      "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const expected = ["POST /1 hello", "POST /2 abcde", "GET /3 "];
    const answers = (all: string) => all.split(/HTTP\/1\.1 200[^]*?\r\n\r\n/).slice(1);
    expect(answers(await send(server, text))).toEqual(expected);
    await Promise.all(
      Array.from({ length: text.length - 1 }, async (_, index) => {
        const client = await RawClient.connect(server, text.slice(0, index + 1));
        await Bun.sleep(1);
        client.write(text.slice(index + 1));
        expect(answers(await client.all()), `cut at ${index + 1}`).toEqual(expected);
      }),
    );
    const client = await RawClient.connect(server);
    for (const byte of text) {
      client.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(answers(await client.all())).toEqual(expected);
  });

  test("is not read before someone wants it", async () => {
    const waiting: ServerExchange[] = [];
    const server = serve((exchange) => void waiting.push(exchange));
    const total = 32 << 20;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === total) controller.close();
        else controller.enqueue(new Uint8Array(1 << 16));
        sent += 1 << 16;
      },
    });
    const answer = fetch(server.url, { method: "POST", body });
    await until(() => waiting.length === 1);
    let last = -1;
    while (last !== sent) {
      last = sent;
      await Bun.sleep(50);
    }
    expect(sent).toBeLessThan(total);
    const [exchange] = waiting;
    expect(exchange?.body).toBeNull();
    if (!exchange) return;
    const read = await bodyOf(exchange);
    expect(read.length).toBe(total);
    exchange.respond(200, {}, "done");
    expect(await (await answer).text()).toBe("done");
  });

  test("is asked for if its caller waits for that", async () => {
    const server = serve(echoing);
    const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\n";
    const client = await RawClient.connect(server, head);
    await until(() => client.received === "HTTP/1.1 100 Continue\r\n\r\n");
    client.write("abc");
    expect(await client.all()).toEndWith("POST / abc");
    expect(await send(server, `${head}abc`)).not.toContain("100 Continue");
    const refusing = serve((exchange) => exchange.respond(413, {}, "no"));
    expect(withoutDate(await send(refusing, head))).toBe(
      "HTTP/1.1 413 Payload Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno",
    );
  });

  test("that no one reads is read over if little of it is missing, else the connection is closed", async () => {
    const server = serve((exchange) => exchange.respond(200, {}, "no"));
    const client = await RawClient.connect(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    await until(() => client.received.endsWith("no"));
    client.write(`1234567${get}`);
    await until(() => client.received.split("200 OK").length === 3);
    expect(client.received).not.toContain("close");
    for (const framing of ["Content-Length: 1000000", "Transfer-Encoding: chunked"]) {
      const refused = await RawClient.connect(server, `POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
      await until(() => refused.ended);
      expect(refused.received).toContain("connection: close");
      // It may go on sending without losing the answer.
      refused.write("a".repeat(100));
      refused.close();
    }
  });

  test("with malformed chunks is refused, and what follows it is no request", async () => {
    let answered = 0;
    const server = serve((exchange) => {
      bodyOf(exchange).then(
        () => answered++,
        () => exchange.respond(200, {}, "too late"),
      );
    });
    const client = await RawClient.connect(server, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    await Bun.sleep(5);
    client.write(`3\r\nabcd\r\n${get}`);
    const all = await client.all();
    expect(all).toStartWith("HTTP/1.1 400 Bad Request\r\n");
    expect(all.split("HTTP/1.1")).toHaveLength(2);
    expect(answered).toBe(0);
  });
});

describe("requests on one connection", () => {
  test("are answered in order, one at a time", async () => {
    const waiting: ServerExchange[] = [];
    const server = serve((exchange) => void waiting.push(exchange));
    const client = await RawClient.connect(server, [1, 2, 3].map((n) => get.replace("/", `/${n}`)).join(""));
    for (const n of [1, 2, 3]) {
      await until(() => waiting.length === n);
      await Bun.sleep(2);
      expect(waiting).toHaveLength(n);
      waiting[n - 1]?.respond(200, {}, `answer ${n}`);
      await until(() => client.received.endsWith(`answer ${n}`));
    }
  });

  test("are many in one packet, and others are served in between", async () => {
    const order: string[] = [];
    const server = serve((exchange) => {
      order.push(exchange.target);
      exchange.respond(200, {}, "");
    });
    const [one, two] = [await RawClient.connect(server), await RawClient.connect(server)];
    one.write(get.replace("/", "/a").repeat(500));
    two.write(get.replace("/", "/b"));
    await until(() => order.length === 501);
    expect(order.indexOf("/b")).toBeLessThan(500);
    await until(() => one.received.split("200 OK").length === 501);
  });

  test("are not taken in without measure", async () => {
    const server = serve(() => {});
    const client = await RawClient.connect(server, get);
    let refused = false;
    for (let sent = 0; sent < 64 << 20 && !refused; sent += 1 << 16) {
      try {
        client.write(get.repeat((1 << 16) / get.length));
      } catch {
        refused = true;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refused).toBe(true);
  });
});

describe("HTTP/1.0", () => {
  test("closes the connection after an answer, unless it is to stay", async () => {
    const server = serve(echoing);
    expect(withoutDate(await send(server, "GET / HTTP/1.0\r\n\r\n"))).toBe(
      "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: 6\r\n\r\nGET / ",
    );
    const client = await RawClient.connect(server, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    await until(() => client.received.endsWith("GET / "));
    expect(client.received).toContain("connection: keep-alive\r\n");
    client.write("GET / HTTP/1.0\r\n\r\n");
    expect((await client.all()).split("200 OK")).toHaveLength(3);
  });
});

describe("a request that is none", () => {
  test("is refused before any handler, and the connection is closed", async () => {
    const server = serve(() => {
      throw new Error("It was handled.");
    });
    const text = `GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n${get}`;
    expect(withoutDate(await send(server, text))).toBe(
      "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n" +
        "content-length: 54\r\n\r\nThe request was refused: it has several Host headers.\n",
    );
  });

  test("is answered in order: after those that come before it", async () => {
    const server = serve((exchange) => void setTimeout(() => exchange.respond(200, {}, "one"), 5));
    const all = await send(server, `${get}GET\r\n\r\n`);
    expect(all.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });
});

describe("a handler that throws", () => {
  test("leaves a 500, and is told of", async () => {
    const errors: unknown[] = [];
    const server = serve(
      () => {
        throw new Error("no");
      },
      { onError: (error) => errors.push(error) },
    );
    expect(await send(server, get)).toStartWith("HTTP/1.1 500 Internal Server Error\r\n");
    expect(errors).toEqual([new Error("no")]);
  });
});

test("node:http speaks with it, also over one connection and in chunks", async () => {
  const server = serve(echoing);
  for (const size of [0, 10, 100_000]) {
    const body = await new Promise<string>((resolve, reject) => {
      const request = nodeRequest(server.url, { method: "PUT", path: "/a?b" }, (response) => {
        let text = "";
        response.on("data", (piece: Buffer) => (text += piece.toString()));
        response.on("end", () => resolve(text));
      });
      request.on("error", reject);
      request.write("a".repeat(size / 2));
      request.end("a".repeat(size / 2));
    });
    expect(body).toBe(`PUT /a?b ${"a".repeat(size)}`);
  }
});
