import { afterEach, expect, test } from "bun:test";
import { createHttpClient } from "../client.ts";
import { proxyFor } from "./proxy.ts";
import { authority, forLocalhost, forOtherHost } from "./certificates.testkit.ts";
import { ask, serve, stopServers, until, type ScriptedServer } from "../http.testkit.ts";

afterEach(stopServers);

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const secret = "a secret of the caller";

const target = (url: string) => {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === "https:";
  return {
    protocol: secure ? ("https:" as const) : ("http:" as const),
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (secure ? 443 : 80),
  };
};

test.each([
  ["http://a.example", {}, null],
  ["http://a.example", { HTTP_PROXY: "http://proxy:3128" }, "proxy:3128"],
  ["http://a.example", { HTTP_PROXY: "proxy:3128" }, "proxy:3128"],
  ["http://a.example", { HTTP_PROXY: "http://proxy" }, "proxy:80"],
  ["http://a.example", { HTTP_PROXY: "http://[::1]:3128" }, "::1:3128"],
  ["http://a.example", { HTTP_PROXY: "http://upper:1", http_proxy: "http://lower:1" }, "lower:1"],
  ["http://a.example", { HTTPS_PROXY: "http://proxy:3128" }, null],
  ["https://a.example", { HTTPS_PROXY: "http://proxy:3128" }, "proxy:3128"],
  ["https://a.example", { HTTP_PROXY: "http://proxy:3128" }, null],
  ["http://a.example", { HTTP_PROXY: "" }, null],
])("%s with %o goes through %s", (url, environment, expected) => {
  const proxy = proxyFor(target(url), environment);
  expect(proxy && `${proxy.hostname}:${proxy.port}`).toBe(expected);
});

test.each([
  ["http://a.example", "*", true],
  ["http://a.example", "a.example", true],
  ["http://A.example", "a.EXAMPLE", true],
  ["http://b.a.example", "a.example", true],
  ["http://b.a.example", ".a.example", true],
  ["http://b.a.example", "*.a.example", true],
  ["http://ba.example", "a.example", false],
  ["http://a.example", "b.example , a.example", true],
  ["http://a.example:81", "a.example:81", true],
  ["http://a.example:82", "a.example:81", false],
  ["http://a.example", "a.example:80", true],
  ["https://a.example", "a.example:443", true],
  ["http://127.0.0.1:8080", "localhost,127.0.0.1", true],
  ["http://[::1]:8080", "::1", true],
  ["http://[::1]:8080", "[::1]:8080", true],
  ["http://[::1]:8080", "[::1]:8081", false],
  ["http://a.example", "", false],
  ["http://a.example", " , ", false],
])("NO_PROXY: %s is exempt by %p: %p", (url, list, exempt) => {
  const environment = { HTTP_PROXY: "http://proxy", HTTPS_PROXY: "http://proxy", NO_PROXY: list };
  expect(proxyFor(target(url), environment) === null).toBe(exempt);
});

test.each(["socks5://proxy:1080", "https://proxy", "http://user:password@"])(
  "the proxy %s is refused by name",
  (value) => {
    expect(() => proxyFor(target("http://a.example"), { HTTP_PROXY: value })).toThrow(/^HTTP_PROXY [^@]*$/);
  },
);

test("plain HTTP is sent to the proxy with the whole URL and our credentials for it", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello));
  const environment = { HTTP_PROXY: `http://us%40er:pass@127.0.0.1:${server.port}` };
  const origin = client.origin({ url: "http://nowhere.invalid:8080/v1", environment });
  for (let round = 0; round < 2; round++) expect((await ask(client, origin, { body: "{}" }).done).text).toBe("hello");
  const request =
    "POST http://nowhere.invalid:8080/ HTTP/1.1\r\nhost: nowhere.invalid:8080\r\n" +
    `proxy-authorization: Basic ${btoa("us@er:pass")}\r\ncontent-length: 2\r\n\r\n{}`;
  expect(server.connections.map(({ received }) => received)).toEqual([request + request]);
  client.close();
});

/** A proxy that connects to `upstream` whatever it is asked for. */
function tunnelTo(upstream: ScriptedServer, answer = "HTTP/1.1 200 Connection established\r\n\r\n") {
  const asked: string[] = [];
  const outward = new Map<number, Promise<Bun.Socket>>();
  const proxy = serve((connection, bytes) => {
    const { index, socket } = connection;
    const existing = outward.get(index);
    if (existing !== undefined) {
      void existing.then((out) => out.write(bytes));
      return;
    }
    if (!connection.received.endsWith("\r\n\r\n")) return;
    asked.push(connection.received);
    if (!answer.includes(" 200 ")) {
      socket.write(answer);
      return;
    }
    const connecting = Bun.connect({
      hostname: "127.0.0.1",
      port: upstream.port,
      socket: { data: (_, reply) => void socket.write(reply), close: () => socket.close() },
    });
    outward.set(index, connecting);
    void connecting.then(() => socket.write(answer));
  });
  return { proxy, asked };
}

test("TLS passes through the proxy, and its connection is used again", async () => {
  const client = createHttpClient();
  const upstream = serve(({ socket }) => socket.write(hello), { tls: forLocalhost });
  const { proxy, asked } = tunnelTo(upstream);
  const environment = { https_proxy: `http://user:pass@127.0.0.1:${proxy.port}` };
  const origin = client.origin({ url: "https://localhost:8443", tls: { ca: authority }, environment });
  for (let round = 0; round < 3; round++) {
    const told = await ask(client, origin, { body: secret }).done;
    expect(told.failure).toBeNull();
    expect(told.text).toBe("hello");
  }
  expect(asked).toEqual([
    `CONNECT localhost:8443 HTTP/1.1\r\nhost: localhost:8443\r\nproxy-authorization: Basic ${btoa("user:pass")}\r\n\r\n`,
  ]);
  expect(upstream.connections[0]?.received).toStartWith("POST / HTTP/1.1\r\nhost: localhost:8443\r\n");
  expect(upstream.connections[0]?.received).not.toContain("proxy-authorization");
  client.close();
  await until(() => proxy.connections[0]?.gone === true);
});

test("a certificate for another host is refused through the proxy too, before anything is sent", async () => {
  const client = createHttpClient();
  const upstream = serve(({ socket }) => socket.write(hello), { tls: forOtherHost });
  const { proxy } = tunnelTo(upstream);
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const origin = client.origin({ url: "https://localhost", tls: { ca: authority }, environment });
  const told = await ask(client, origin, { body: secret }).done;
  expect(told.failure).toMatchObject({ kind: "unreachable", code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  await until(() => proxy.connections[0]?.gone === true);
  expect(upstream.connections.map(({ received }) => received).join("")).toBe("");
});

test.each([
  ["a refusal", "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", "HTTP 407"],
  ["nonsense", "nonsense\r\n\r\n", "malformed"],
  ["early bytes", "HTTP/1.1 299 x\r\n\r\nearly", "before TLS"],
])("a proxy that answers with %s makes the provider unreachable", async (_, answer, reason) => {
  const client = createHttpClient();
  const { proxy } = tunnelTo(
    serve(() => {}),
    answer,
  );
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const told = await ask(client, client.origin({ url: "https://localhost", environment })).done;
  expect(told.failure).toMatchObject({ kind: "unreachable", message: expect.stringContaining(reason) });
  await until(() => proxy.connections[0]?.gone === true);
});

test("an exchange that is cancelled while the proxy connects closes its connection", async () => {
  const client = createHttpClient();
  const silent = serve(() => {});
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${silent.port}` };
  const told = ask(client, client.origin({ url: "https://localhost", environment }));
  await until(() => (silent.connections[0]?.received.length ?? 0) > 0);
  told.exchange?.cancel();
  await until(() => silent.connections[0]?.gone === true);
  expect(told.events).toEqual([]);
});
