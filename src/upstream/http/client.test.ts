import { afterEach, expect, test } from "bun:test";
import { createHttpClient } from "./client.ts";
import { ask, originOf, serve, stopServers, until } from "./http.testkit.ts";

afterEach(stopServers);

const hello = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";

test("a small answer is reported at once, and its connection is used again", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello));
  const origin = originOf(client, server.url);
  for (let round = 0; round < 3; round++) {
    const told = await ask(client, origin, { body: "{}" }).done;
    expect(told.events).toEqual(["sent", "head", "bytes", "end"]);
    expect(told.status).toBe(200);
    expect(told.headers?.get("content-type")).toBe("text/plain");
    expect(told.text).toBe("hello");
  }
  expect(server.connections).toHaveLength(1);
  client.close();
  await until(() => server.connections[0]?.gone === true);
});

test("a request carries the length of its body in bytes", async () => {
  const client = createHttpClient();
  const server = serve(({ socket }) => socket.write(hello));
  const origin = originOf(client, server.url);
  await ask(client, origin, { body: "naïve 🙂" }).done;
  await ask(client, origin, { body: new TextEncoder().encode("bytes") }).done;
  await ask(client, origin).done;
  await ask(client, origin, { method: "GET" }).done;
  const head = `POST / HTTP/1.1\r\nhost: ${origin.host}\r\n`;
  expect(Buffer.from(server.connections[0]?.received ?? "", "latin1").toString()).toBe(
    `${head}content-length: 11\r\n\r\nnaïve 🙂${head}content-length: 5\r\n\r\nbytes${head}content-length: 0\r\n\r\n` +
      `GET / HTTP/1.1\r\nhost: ${origin.host}\r\n\r\n`,
  );
  client.close();
});

test("an address that refuses connections is unreachable, told after send has returned", async () => {
  const client = createHttpClient();
  const server = serve(() => {});
  server.stop();
  const told = ask(client, originOf(client, server.url));
  expect(told.events).toEqual([]);
  await told.done;
  expect(told.failure).toMatchObject({ kind: "unreachable", code: "ECONNREFUSED" });
});

test("an idle connection does not keep a process from ending", async () => {
  const server = serve(({ socket }) => socket.write(hello));
  const script = `
    const { createHttpClient } = await import(${JSON.stringify(`${import.meta.dir}/client.ts`)});
    const { ask, originOf } = await import(${JSON.stringify(`${import.meta.dir}/http.testkit.ts`)});
    const client = createHttpClient();
    process.stdout.write((await ask(client, originOf(client, "${server.url}")).done).text);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  expect(await child.stdout.text()).toBe("hello");
  expect(await child.exited).toBe(0);
});
