import { afterEach, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";
import { openRaw } from "../raw-http.testkit.ts";
import { chatBody } from "./refusals.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { until } from "../until.testkit.ts";

/** Overload: an immediate 503 without a record, and fair shares for keys. */

let gateway: TestGateway;
let callers: AbortController[] = [];
afterEach(async () => {
  for (const caller of callers) caller.abort();
  callers = [];
  await gateway.stop();
});

async function start(server: TestGatewayOptions["server"] = {}): Promise<void> {
  gateway = await startTestGateway({ server });
}

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/** A stream that runs until its caller disconnects. */
async function openStream(key = gateway.key): Promise<{ leave(): Promise<void> }> {
  const caller = new AbortController();
  callers.push(caller);
  const body = { stream: true, sandbox: { fault: { kind: "stall" } } };
  const response = await gateway.chat(body, { ...bearer(key), signal: caller.signal });
  expect(response.status).toBe(200);
  const logged = gateway.log.length;
  return {
    async leave() {
      caller.abort();
      await until("the request is logged", () =>
        gateway.log.slice(logged).some(({ fields }) => fields["request_id"] === idOf(response)),
      );
    },
  };
}

async function expectServed(response: Response): Promise<void> {
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

async function expectOverloaded(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(response.headers.get("x-should-retry")).toBeNull();
  expect(await response.json()).toMatchObject({
    error: { type: "overloaded_error", code: "overloaded", param: null, request_id: idOf(response) },
  });
  const lookup = await gateway.fetch(`/api/usage/requests/${idOf(response)}`);
  expect(lookup.status).toBe(404);
  await lookup.arrayBuffer();
}

describe("requests in flight", () => {
  test("a request above the limit is refused until one has ended", async () => {
    await start({ maxInFlight: 2 });
    const open = [await openStream(), await openStream()];
    const before = gateway.sandbox.requests.length;
    await expectOverloaded(await gateway.chat());
    expect(gateway.sandbox.requests.length).toBe(before);
    await open[0]?.leave();
    for (let tries = 0; tries < 3; tries++) await expectServed(await gateway.chat());
  });

  test("a refusal is not counted against the key's own limits", async () => {
    await start({ maxInFlight: 1 });
    const { key } = await gateway.newKey({ limits: { requestsPerMinute: 1, concurrentRequests: 1 } });
    const open = await openStream();
    for (let tries = 0; tries < 3; tries++) await expectOverloaded(await gateway.chat({}, bearer(key)));
    await open.leave();
    await expectServed(await gateway.chat({}, bearer(key)));
  });

  test("free requests count; an invalid key is still a 401, and other paths are served", async () => {
    await start({ maxInFlight: 1 });
    await openStream();
    const count = await gateway.fetch("/v1/messages/count_tokens", {
      method: "POST",
      body: JSON.stringify({ model: "sandbox-chat", messages: [{ role: "user", content: "Hello!" }] }),
    });
    expect(count.status).toBe(503);
    expect(await count.json()).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
    expect((await gateway.chat({}, bearer("sk-tg-nobody"))).status).toBe(401);
    expect((await gateway.fetch("/v1/models")).status).toBe(200);
  });

  test("a request is refused before its body arrives", async () => {
    await start({ maxInFlight: 1 });
    await openStream();
    const connection = await openRaw(gateway.url);
    connection.send(head("Content-Length: 5000"));
    expect((await connection.response()).status).toBe(503);
    connection.reset();
  });

  test("exactly the limit of many concurrent requests is admitted", async () => {
    await start({ maxInFlight: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.chat({ sandbox: { latency_ms: 300 } })));
    expect(answers.filter(({ status }) => status === 200).length).toBe(5);
    expect(answers.filter(({ status }) => status === 503).length).toBe(15);
    expect(gateway.sandbox.requests.length).toBe(5);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  });

  test("a key that floods yields to a key that was refused", async () => {
    await start({ maxInFlight: 2 });
    const light = await gateway.newKey();
    const open = [await openStream(), await openStream()];
    await expectOverloaded(await gateway.chat({}, bearer(light.key)));
    await open[0]?.leave();
    await expectOverloaded(await gateway.chat());
    for (let tries = 0; tries < 3; tries++) await expectServed(await gateway.chat({}, bearer(light.key)));
  });

  test("every outcome of a request frees its place", async () => {
    await start({ maxInFlight: 1 });
    const limited = await gateway.newKey({ scopes: { endpoints: ["embeddings"] } });
    const endings: readonly [number, () => Promise<Response>][] = [
      [404, () => gateway.chat({ model: "nobody" })],
      [502, () => gateway.chat({ sandbox: { fault: { kind: "status", status: 500 } } })],
      [403, () => gateway.chat({}, bearer(limited.key))],
      [200, () => gateway.chat({ stream: true, sandbox: { fault: { kind: "cut", after: 2 } } })],
      [400, () => gateway.fetch("/v1/chat/completions", { method: "POST", body: "{" })],
      [200, () => gateway.chat()],
    ];
    for (const [status, ask] of endings) {
      const response = await ask();
      await response.text();
      expect(response.status).toBe(status);
    }
  });
});

/** The head of a chat request with the gateway's key. */
function head(...lines: readonly string[]): string {
  const fixed = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, "Content-Type: application/json"];
  return ["POST /v1/chat/completions HTTP/1.1", ...fixed, ...lines, "", ""].join("\r\n");
}

describe("memory of bodies", () => {
  const maxBodyMemoryBytes = 64 << 10;

  /** A chat request of the given size in bytes. */
  function sized(bytes: number, fields: object = {}): RequestInit {
    const body = chatBody(fields);
    return { method: "POST", headers: { "content-type": "application/json" }, body: body.padEnd(bytes) };
  }
  const ask = (init: RequestInit) => gateway.fetch("/v1/chat/completions", init);
  /** A body that fits only if no bytes are held. */
  const expectAllFree = async () => {
    await expectServed(await ask(sized(maxBodyMemoryBytes)));
  };

  test("a body counts until its request has settled", async () => {
    await start({ maxBodyMemoryBytes });
    const caller = new AbortController();
    const stalled = sized(40 << 10, { stream: true, sandbox: { fault: { kind: "stall" } } });
    const open = await ask({ ...stalled, signal: caller.signal });
    expect(open.status).toBe(200);
    await expectOverloaded(await ask(sized((24 << 10) + 1)));
    await expectServed(await ask(sized(24 << 10)));
    caller.abort();
    await gateway.eventualRecord(idOf(open) ?? "");
    await expectAllFree();
  });

  test("a body of unknown length is counted as it arrives", async () => {
    await start({ maxBodyMemoryBytes });
    const first = await openRaw(gateway.url);
    first.send(`${head("Transfer-Encoding: chunked")}8000\r\n${" ".repeat(0x8000)}\r\n`);
    await untilHeld(0x8000);
    const second = await openRaw(gateway.url);
    second.send(`${head("Transfer-Encoding: chunked")}8001\r\n${" ".repeat(0x8001)}\r\n`);
    expect(await second.response()).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    first.send(`${chatBody({}).length.toString(16)}\r\n${chatBody({})}\r\n0\r\n\r\n`);
    expect((await first.response()).status).toBe(200);
    first.reset();
    second.reset();
    await expectAllFree();
  });

  /** Waits until this many bytes are held, so that a body of one byte more than the rest is refused. */
  async function untilHeld(bytes: number): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      const response = await ask(sized(maxBodyMemoryBytes - bytes + 1));
      await response.arrayBuffer();
      if (response.status === 503) return;
    }
    throw new Error("The body was not counted.");
  }

  test("a refusal leaves neither a record nor a booking", async () => {
    await start({ maxBodyMemoryBytes });
    const { key } = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const connection = await openRaw(gateway.url);
    connection.send(head(`Content-Length: ${maxBodyMemoryBytes}`));
    await untilHeld(maxBodyMemoryBytes);
    const authorized = { ...sized(1_000), headers: { "content-type": "application/json", ...bearer(key).headers } };
    for (let tries = 0; tries < 3; tries++) await expectOverloaded(await ask(authorized));
    connection.reset();
    await until("a cancelled request", () => gateway.log.some(({ fields }) => fields["status"] === "cancelled"));
    await expectServed(await ask(authorized));
  });

  test("a body above the limit is a 413", async () => {
    await start({ maxBodyMemoryBytes });
    const response = await ask(sized(maxBodyMemoryBytes + 1));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "body_too_large" } });
  });

  test("no bytes stay held after refusals, faults, slow bodies and disconnects", async () => {
    await start({ maxBodyMemoryBytes, bodyTimeoutMs: 150 });
    const ended = [
      await ask(sized(30_000, { model: "nobody" })),
      await ask(sized(30_000, { messages: 7 })),
      await ask(sized(30_000, { sandbox: { fault: { kind: "status", status: 500 } } })),
      await ask(sized(30_000, { stream: true, sandbox: { fault: { kind: "reset", after: 2 } } })),
      await ask({ method: "POST", body: Buffer.alloc(30_000, 0xff) }),
    ];
    expect(ended.map(({ status }) => status)).toEqual([404, 400, 502, 200, 400]);
    await Promise.all(ended.map((response) => response.text()));
    await expectAllFree();

    for (const framing of [`Content-Length: ${maxBodyMemoryBytes}`, "Transfer-Encoding: chunked"]) {
      const slow = await openRaw(gateway.url);
      slow.send(`${head(framing)}4000\r\n${" ".repeat(0x4000)}\r\n`);
      expect((await slow.response()).status).toBe(408);
      // The rest of it is not counted.
      slow.send(`4000\r\n${" ".repeat(0x4000)}\r\n`);
      await expectAllFree();
      slow.reset();

      const logged = gateway.log.length;
      const leaving = await openRaw(gateway.url);
      leaving.send(`${head(framing)}4000\r\n${" ".repeat(0x4000)}\r\n`);
      await untilHeld(0x4000);
      leaving.reset();
      await until("a cancelled request", () =>
        gateway.log.slice(logged).some(({ fields }) => fields["status"] === "cancelled"),
      );
      await expectAllFree();
    }
  });
});
