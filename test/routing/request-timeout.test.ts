import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { says, startByteUpstream } from "../byte-upstream.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { openRaw } from "../raw-http.testkit.ts";
import { chatBody, expectUntouched, refusedAndRecorded } from "../http/refusals.testkit.ts";
import { done, idOf } from "../sse-text.testkit.ts";

/** `X-Request-Timeout-Ms`: the caller's deadline, from the arrival of its request to the last byte of the answer. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
afterEach(() => expectUntouched(gateway));

const within = (milliseconds: number | string) => ({ headers: { "x-request-timeout-ms": String(milliseconds) } });

const passed = {
  type: "upstream_timeout",
  code: "total_timeout",
  message: expect.stringMatching(/^The caller's own deadline of \d+ ms \(X-Request-Timeout-Ms\) has passed/),
};

const stall = (at: string, after = 1) => ({ fault: { kind: "stall", at, after } });

/** How the last upstream call ended, as seen by the provider. */
async function expectUpstreamCancelled(calls: number): Promise<void> {
  await gateway.sandbox.waitFor((requests) => requests.length === calls && requests.at(-1)?.outcome === "aborted");
}

async function expectFailedAndFree(id: string | null, statusCode: number, stream: boolean): Promise<void> {
  expect(await gateway.record(id)).toMatchObject({
    status: "failed",
    stream,
    error: { type: "upstream_timeout", code: "total_timeout" },
    billing: { amount_microusd: 0, status: "refunded", line_items: [] },
    routing: { status_code: statusCode, attempts: 1 },
  });
}

/** Output that was produced before the deadline is charged. */
async function expectCancelledAndCharged(id: string | null): Promise<void> {
  const record = await gateway.record(id);
  expect(record).toMatchObject({
    status: "cancelled",
    stream: true,
    error: { type: "upstream_timeout", code: "total_timeout" },
    usage: { measurement: { input: "local_estimate", output: "local_estimate" } },
    billing: { status: "charged" },
    routing: { status_code: 200, attempts: 1 },
  });
  expect(record.billing.amount_microusd).toBeGreaterThan(0);
}

describe("before the first byte", () => {
  test.each([
    ["headers", false],
    ["headers", true],
    ["first_byte", false],
    ["first_byte", true],
    ["body", false],
  ])("the provider is silent (%s, stream: %p): 504, and its call is cancelled", async (at, stream) => {
    const calls = gateway.sandbox.requests.length + 1;
    const sentAt = performance.now();
    const response = await gateway.chat({ stream, sandbox: stall(at) }, within(120));
    expect(response.status).toBe(504);
    expect(performance.now() - sentAt).toBeWithin(100, 2_000);
    expect(await response.json()).toMatchObject({ error: { ...passed, param: null, request_id: idOf(response) } });
    await expectFailedAndFree(idOf(response), 504, stream);
    await expectUpstreamCancelled(calls);
  });

  test("no other target is asked", async () => {
    const calls = gateway.sandbox.requests.length + 1;
    const twice = await startTestGateway({
      models: [
        { id: "twice", targets: ["sandbox-chat", "sandbox-slow"].map((model) => ({ provider: "sandbox", model })) },
      ],
    });
    try {
      const response = await twice.chat({ model: "twice", sandbox: stall("headers") }, within(80));
      expect([response.status, await response.json()]).toMatchObject([504, { error: passed }]);
      expect(twice.sandbox.requests.length).toBe(1);
    } finally {
      await twice.stop();
    }
    expect(gateway.sandbox.requests.length).toBe(calls - 1);
  });

  const greeting = [{ role: "user", content: `Hello! [[sandbox: ${JSON.stringify(stall("headers"))}]]` }];
  const ask = (path: string, body: object) =>
    gateway.fetch(path, { method: "POST", ...within(80), body: JSON.stringify(body) });

  test("in each vendor's error format", async () => {
    const messages = await ask("/v1/messages", { model: "sandbox-chat", max_tokens: 9, messages: greeting });
    expect(messages.status).toBe(504);
    expect(await messages.json()).toMatchObject({
      type: "error",
      error: { type: "timeout_error", message: passed.message },
    });

    const responses = await ask("/v1/responses", { model: "sandbox-chat", input: greeting });
    expect([responses.status, await responses.json()]).toMatchObject([504, { error: passed }]);

    const contents = [{ role: "user", parts: [{ text: greeting[0]?.content }] }];
    const gemini = await ask("/v1beta/models/sandbox-chat:generateContent", { contents });
    expect(gemini.status).toBe(504);
    expect(await gemini.json()).toMatchObject({
      error: { code: 504, status: "DEADLINE_EXCEEDED", message: passed.message },
    });
    for (const response of [messages, responses, gemini]) await expectFailedAndFree(idOf(response), 504, false);
  });

  test("a slow body is not waited for beyond the deadline", async () => {
    const calls = gateway.sandbox.requests.length;
    for (const framing of ["Content-Length: 5000", "Transfer-Encoding: chunked"]) {
      const connection = await openRaw(gateway.url);
      const lines = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, "X-Request-Timeout-Ms: 80", framing];
      connection.send(["POST /v1/chat/completions HTTP/1.1", ...lines, "", "5\r\n     \r\n"].join("\r\n"));
      const { status, headers, body } = await connection.response();
      connection.reset();
      expect(status).toBe(504);
      expect(JSON.parse(body)).toMatchObject({ error: passed });
      expect(await gateway.record(headers["x-service-request-id"] ?? null)).toMatchObject({
        status: "refused",
        error: { code: "total_timeout" },
        billing: { amount_microusd: 0 },
      });
    }
    expect(gateway.sandbox.requests.length).toBe(calls);
  });
});

describe("during a stream", () => {
  test("the stream ends with an error event, and the upstream call is cancelled", async () => {
    const calls = gateway.sandbox.requests.length + 1;
    const response = await gateway.chat({ stream: true, sandbox: stall("body", 2) }, within(200));
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).not.toContain("[DONE]");
    const last = text.trim().split("\n\n").at(-1) ?? "";
    expect(JSON.parse(last.slice("data: ".length))).toMatchObject({ error: { ...passed, request_id: idOf(response) } });
    await expectCancelledAndCharged(idOf(response));
    await expectUpstreamCancelled(calls);
  });

  test("a stream without pauses is also bounded", async () => {
    const sandbox = { chunks: 1_000, chunk_delay_ms: 10 };
    const response = await gateway.chat({ stream: true, sandbox }, within(200));
    const text = await response.text();
    expect(text.split("\n\n").length).toBeWithin(3, 100);
    expect(text).toContain("total_timeout");
    await expectCancelledAndCharged(idOf(response));
  });

  test("a caller that does not read delays neither the provider nor the record", async () => {
    const event = Buffer.from(`data: ${says("x".repeat(16_000))}\n\n`);
    const ended = Promise.withResolvers<void>();
    const upstream = await startByteUpstream();
    upstream.answerWith(async (response) => {
      const fill = () => {
        while (response.write(event));
      };
      response.on("drain", fill);
      response.on("close", ended.resolve);
      fill();
      await ended.promise;
    });
    const endless = await startTestGateway({
      providers: () => [{ id: "bytes", baseUrl: upstream.url }],
      models: [{ id: "endless", targets: [{ provider: "bytes", model: "endless" }] }],
    });
    const connection = await openRaw(endless.url);
    try {
      const body = chatBody({ model: "endless", stream: true });
      const lines = ["Host: gateway", `Authorization: Bearer ${endless.key}`, `Content-Length: ${body.length}`];
      connection.send(
        ["POST /v1/chat/completions HTTP/1.1", ...lines, "X-Request-Timeout-Ms: 500", "", body].join("\r\n"),
      );
      await connection.received("data: ");
      connection.pause();
      await ended.promise;
      for (let tries = 0; tries < 1_000 && endless.log.length === 0; tries++) await Bun.sleep(5);
      expect(endless.log[0]?.fields).toMatchObject({ status: "cancelled", error_code: "total_timeout" });
      expect(endless.log[0]?.fields["amount_microusd"]).toBeGreaterThan(0);
    } finally {
      connection.reset();
      await endless.stop();
      await upstream.stop();
    }
  });

  test("a caller that has received nothing pays nothing", async () => {
    const upstream = await startByteUpstream();
    const message = { id: "msg_1", type: "message", role: "assistant", content: [], usage: { input_tokens: 9 } };
    const start = `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message })}\n\n`;
    upstream.answerWith((response) => {
      response.write(start);
      return Promise.resolve();
    });
    const slow = await startTestGateway({
      providers: () => [{ id: "bytes", dialects: ["anthropic-messages"], baseUrl: upstream.url }],
      models: [{ id: "slow", targets: [{ provider: "bytes", model: "slow" }] }],
    });
    try {
      const response = await slow.chat({ model: "slow", stream: true }, within(200));
      expect(await response.text()).toContain("total_timeout");
      const record = await slow.record(idOf(response));
      expect(record).toMatchObject({ status: "cancelled", billing: { amount_microusd: 0 } });
    } finally {
      await slow.stop();
      await upstream.stop();
    }
  });

  const content = `Hello! [[sandbox: ${JSON.stringify(stall("body", 4))}]]`;
  const turns = [{ role: "user", content }];
  const streamed = { model: "sandbox-chat", stream: true };

  test.each([
    ["/v1/messages", { ...streamed, max_tokens: 9, messages: turns }, /event: error\ndata: .*timeout_error/],
    ["/v1/responses", { ...streamed, input: turns }, /event: (error|response\.failed)\ndata: .*caller's own deadline/],
    [
      "/v1beta/models/sandbox-chat:streamGenerateContent?alt=sse",
      { contents: [{ role: "user", parts: [{ text: content }] }] },
      /"error":.*DEADLINE_EXCEEDED/,
    ],
  ])("%s: in the dialect's own format", async (path, body, error) => {
    const response = await gateway.fetch(path, { method: "POST", ...within(200), body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(error);
    await expectCancelledAndCharged(idOf(response));
  });
});

describe("in time", () => {
  test.each([1_000, 86_400_000])("%d ms have no effect", async (milliseconds) => {
    const whole = await gateway.chat({}, within(milliseconds));
    const streamed = await gateway.chat({ stream: true }, within(milliseconds));
    expect([whole.status, await streamed.text()]).toEqual([200, expect.stringContaining(done)]);
    for (const each of [whole, streamed])
      expect(await gateway.record(idOf(each))).toMatchObject({ status: "succeeded" });
    await whole.arrayBuffer();
  });

  test("a caller that disconnects before the deadline is cancelled", async () => {
    const calls = gateway.sandbox.requests.length + 1;
    const caller = new AbortController();
    const response = await gateway.chat(
      { stream: true, sandbox: stall("body", 2) },
      { ...within(60_000), signal: caller.signal },
    );
    caller.abort();
    await expectUpstreamCancelled(calls);
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({ status: "cancelled", error: null });
  });
});

describe("an invalid value", () => {
  test.each(["0", "86400001", "-1", "1.5", "1e3", "0x10", "soon", "99999999999999999999", "10, 20", ""])(
    "'%s'",
    async (value) => {
      const expected = { code: "invalid_parameter", param: "X-Request-Timeout-Ms" };
      await refusedAndRecorded(gateway, () => answerTo(value), expected);
    },
  );

  async function answerTo(value: string) {
    const response = await gateway.chat({}, within(value));
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  test("an invalid key is reported first", async () => {
    const headers = { authorization: "Bearer sk-tg-nobody", ...within("soon").headers };
    const response = await gateway.chat({}, { headers });
    expect(response.status).toBe(401);
  });
});
