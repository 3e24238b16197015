import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";
import { createHttpClient } from "../client.ts";
import { authority, forClient, forLocalhost, forOtherHost, selfSigned } from "./certificates.testkit.ts";
import { ask, originOf, serve, stopServers, until } from "../http.testkit.ts";

afterEach(stopServers);

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const secret = "a secret of the caller";

test.each(["localhost", "127.0.0.1"])(
  "a provider whose certificate names %s is called, again and again",
  async (host) => {
    const client = createHttpClient();
    const server = serve(({ socket }) => socket.write(hello), { tls: forLocalhost });
    const origin = originOf(client, `https://${host}:${server.port}`, { ca: authority });
    for (let round = 0; round < 3; round++) {
      const told = await ask(client, origin, { body: secret }).done;
      expect(told.failure).toBeNull();
      expect(told.events).toEqual(["sent", "head", "bytes", "end"]);
    }
    expect(server.connections).toHaveLength(1);
    expect(server.connections[0]?.received.split(secret)).toHaveLength(4);
    client.close();
  },
);

test.each([
  ["of an unknown authority", forLocalhost, {}, /UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/],
  ["signed by itself", selfSigned, { ca: authority }, /SELF_SIGNED/],
  ["for another host", forOtherHost, { ca: authority }, /ERR_TLS_CERT_ALTNAME_INVALID/],
])("a provider whose certificate is %s is sent nothing", async (_, certificate, tls, code) => {
  for (const host of ["localhost", "127.0.0.1"]) {
    const client = createHttpClient();
    const server = serve(({ socket }) => socket.write(hello), { tls: certificate });
    const told = await ask(client, originOf(client, `https://${host}:${server.port}`, tls), { body: secret }).done;
    expect(told.events).toEqual(["failure"]);
    expect(told.failure).toMatchObject({ kind: "unreachable", code: expect.stringMatching(code) });
    await until(() => server.connections.every(({ gone }) => gone));
    expect(server.connections.map(({ received }) => received).join("")).toBe("");
  }
});

test("a provider that speaks no TLS is sent nothing of the request", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
  const told = await ask(client, originOf(client, `https://localhost:${server.port}`), { body: secret }).done;
  expect(told.events).toEqual(["failure"]);
  expect(told.failure?.kind).toBe("unreachable");
  expect(server.connections[0]?.received).not.toContain(secret);
});

test("an exchange that is cancelled during the handshake closes its connection", async () => {
  const client = createHttpClient();
  // It accepts, and never shakes hands.
  const server = serve(() => {});
  const told = ask(client, originOf(client, `https://localhost:${server.port}`));
  await until(() => (server.connections[0]?.received.length ?? 0) > 0);
  told.exchange?.cancel();
  await until(() => server.connections[0]?.gone === true);
  expect(told.events).toEqual([]);
});

test("a client certificate is shown", async () => {
  const client = createHttpClient();
  const tls = { ...forLocalhost, ca: authority, requestCert: true, rejectUnauthorized: true };
  const server = serve(({ socket }) => socket.write(hello), { tls });
  const url = `https://localhost:${server.port}`;
  expect((await ask(client, originOf(client, url, { ca: authority, ...forClient })).done).text).toBe("hello");
  const without = await ask(client, originOf(client, url, { ca: authority }), { body: secret }).done;
  expect(without.failure?.kind).toBe("unreachable");
  expect(server.connections.map(({ received }) => received).join("")).not.toContain(secret);
  client.close();
});

test("a certificate without its key is refused", () => {
  const { cert } = forClient;
  expect(() => originOf(createHttpClient(), "https://localhost", { cert })).toThrow("needs both tls.cert and tls.key");
});

test("the handshake names the host, and HTTP/1.1 as the only protocol", async () => {
  const client = createHttpClient();
  const seen: unknown[] = [];
  const server = createServer({ ...forLocalhost, ALPNProtocols: ["h2", "http/1.1"] }, (socket: TLSSocket) => {
    seen.push([socket.alpnProtocol, "servername" in socket ? socket.servername : null]);
    socket.on("error", () => {});
    socket.on("data", () => socket.write(hello));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  for (const host of ["localhost", "127.0.0.1"]) {
    await ask(client, originOf(client, `https://${host}:${port}`, { ca: authority })).done;
  }
  // An IP address must not be sent as a server name.
  expect(seen).toEqual([
    ["http/1.1", "localhost"],
    ["http/1.1", false],
  ]);
  client.close();
  server.close();
});

test("large bodies pass over TLS in both directions", async () => {
  const client = createHttpClient();
  const body = "ä0123456789".repeat(400_000);
  const length = Buffer.byteLength(body);
  const server = serve(
    (connection) => {
      const start = connection.received.indexOf("\r\n\r\n") + 4;
      if (start < 4 || connection.received.length < start + length) return;
      const answer = Buffer.from(connection.received.slice(start), "latin1");
      connection.received = "";
      connection.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n`);
      let sent = 0;
      const write = () => {
        if (sent < answer.length) sent += Math.max(0, connection.socket.write(answer.subarray(sent)));
        if (sent < answer.length) setTimeout(write, 1);
      };
      write();
    },
    { tls: forLocalhost },
  );
  const origin = originOf(client, `https://localhost:${server.port}`, { ca: authority });
  for (let round = 0; round < 2; round++) {
    const told = ask(client, origin, { body });
    told.hook = (event) => {
      // Paused and resumed all the time: what TLS has decrypted must not be lost or left.
      if (event !== "bytes") return;
      told.exchange?.pause();
      setImmediate(() => told.exchange?.resume());
    };
    await told.done;
    expect(told.failure).toBeNull();
    expect(told.text === body).toBe(true);
  }
  expect(server.connections).toHaveLength(1);
  client.close();
});

test("authorities of NODE_EXTRA_CA_CERTS are trusted", async () => {
  const server = serve(({ socket }) => socket.write(hello), { tls: forLocalhost });
  const directory = await mkdtemp(join(tmpdir(), "tollgate-"));
  const path = join(directory, "extra.pem");
  await Bun.write(path, authority);
  const script = `
    const { createHttpClient } = await import(${JSON.stringify(join(import.meta.dir, "..", "client.ts"))});
    const { ask, originOf } = await import(${JSON.stringify(join(import.meta.dir, "..", "http.testkit.ts"))});
    const client = createHttpClient();
    const told = await ask(client, originOf(client, "https://localhost:${server.port}")).done;
    process.stdout.write(told.failure === null ? told.text : told.failure.code);
    client.close();`;
  const run = async (environment: Record<string, string>) => {
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: { ...process.env, ...environment },
      stdout: "pipe",
    });
    return child.stdout.text();
  };
  expect(await run({ NODE_EXTRA_CA_CERTS: path })).toBe("hello");
  expect(await run({ NODE_EXTRA_CA_CERTS: path, NODE_USE_SYSTEM_CA: "1" })).toBe("hello");
  expect(await run({ NODE_EXTRA_CA_CERTS: "" })).toMatch(/^UNABLE/);
  await rm(directory, { recursive: true });
});
