import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Faults of a provider before the first byte: an HTTP error, no charge, and one record. */

let gateway: TestGateway;
const clock = createTestClock();
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    timeouts: { connectMs: 200, firstByteMs: 250, idleMs: 250, totalMs: 2_000 },
  });
});
afterAll(() => gateway.stop());
// Waits that a provider asked for end before the next test.
afterEach(() => clock.advance(10_000));

interface Expected {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
}

const upstream = (code: string): Expected => ({ status: 502, type: "upstream_error", code });
const timeout = (code: string): Expected => ({ status: 504, type: "upstream_timeout", code });
const overloaded: Expected = { status: 503, type: "overloaded_error", code: "no_target_available" };
const rateLimited: Expected = { status: 429, type: "rate_limit_exceeded", code: "provider_rate_limit" };

const beforeTheFirstByte: Readonly<Record<string, { fault: object; json: Expected; stream: Expected }>> = {
  "status 500": both({ kind: "status", status: 500 }, upstream("upstream_error")),
  "status 401": both({ kind: "status", status: 401 }, upstream("upstream_error")),
  "status 402": both({ kind: "status", status: 402 }, upstream("upstream_error")),
  "status 403": both({ kind: "status", status: 403 }, upstream("upstream_error")),
  "status 404": both({ kind: "status", status: 404 }, upstream("upstream_error")),
  "status 408": both({ kind: "status", status: 408 }, timeout("first_byte_timeout")),
  "status 409": both({ kind: "status", status: 409 }, upstream("upstream_error")),
  "status 429": both({ kind: "status", status: 429, headers: { "retry-after": "7" } }, rateLimited),
  "status 503": both({ kind: "status", status: 503 }, overloaded),
  "status 529": both({ kind: "status", status: 529 }, overloaded),
  "status 504": both({ kind: "status", status: 504 }, timeout("first_byte_timeout")),
  "HTML error page": both({ kind: "html" }, upstream("upstream_error")),
  redirect: both(
    { kind: "status", status: 302, headers: { location: "http://127.0.0.1:1/" } },
    upstream("upstream_error"),
  ),
  "empty body": both({ kind: "empty_body" }, upstream("upstream_invalid_response")),
  "200 with an error": both({ kind: "error_body" }, upstream("upstream_error")),
  "malformed JSON": both({ kind: "malformed_json", after: 0 }, upstream("upstream_invalid_response")),
  "truncated JSON": both({ kind: "truncated_json", after: 0 }, upstream("upstream_invalid_response")),
  "error event first": both({ kind: "error_first" }, upstream("upstream_error")),
  "stall before the headers": both({ kind: "stall", at: "headers" }, timeout("first_byte_timeout")),
  "stall before the first byte": both({ kind: "stall", at: "first_byte" }, timeout("first_byte_timeout")),
  "closed in place of an answer": both({ kind: "close" }, upstream("upstream_unreachable")),
  "reset in place of an answer": both({ kind: "reset" }, upstream("upstream_unreachable")),
  "end before any event": both({ kind: "end", after: 0 }, upstream("upstream_invalid_response")),
};

function both(fault: object, expected: Expected) {
  return { fault, json: expected, stream: expected };
}

describe.each(Object.entries(beforeTheFirstByte))("%s", (_name, { fault, json, stream }) => {
  test.each([
    [false, json],
    [true, stream],
  ])("stream: %p", async (asStream, expected) => {
    const before = gateway.sandbox.requests.length;
    const response = await gateway.chat({ stream: asStream, sandbox: { fault } });
    const body = (await response.json()) as { error: Expected & { message: string; request_id: string } };

    expect({ status: response.status, type: body.error.type, code: body.error.code }).toEqual(expected);
    expect(body.error.request_id).toBe(response.headers.get("x-service-request-id") ?? "");
    expect(body.error.message).not.toMatch(/127\.0\.0\.1|http:/);
    expect(gateway.sandbox.requests.length - before).toBe(1);
    const record = await gateway.record(body.error.request_id);
    expect(record).toMatchObject({
      status: "failed",
      stream: asStream,
      error: { type: expected.type, code: expected.code },
      billing: { amount_microusd: 0, status: "refunded", line_items: [] },
      routing: { status_code: expected.status, attempts: 1, resolved_model: null },
    });
    if (expected === overloaded) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

test("a provider's Retry-After is forwarded", async () => {
  const fault = { kind: "status", status: 429, headers: { "retry-after": "7" } };
  const response = await gateway.chat({ sandbox: { fault } });
  expect(response.headers.get("retry-after")).toBe("7");
});

describe("an invalid request", () => {
  test.each([400, 413, 422])("with status %d keeps the status and the provider's message", async (status) => {
    const body = {
      error: { message: "No, sk-proj-abcdefghijklmnopqrst.", type: "x", code: "bad_thing", param: "top_p" },
    };
    const response = await gateway.chat({ sandbox: { fault: { kind: "status", status, body } } });
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(response.status).toBe(status);
    expect(error).toMatchObject({
      type: status === 413 ? "request_too_large" : "invalid_request_error",
      message: "No, [redacted].",
      code: "bad_thing",
      param: "top_p",
    });
  });
});

describe("after the first byte", () => {
  const faults: Readonly<Record<string, { fault: object; code: string }>> = {
    cut: { fault: { kind: "cut", after: 2 }, code: "upstream_invalid_response" },
    reset: { fault: { kind: "reset", after: 2 }, code: "upstream_invalid_response" },
    "a proper end without a finish": { fault: { kind: "end", after: 2 }, code: "upstream_invalid_response" },
    stall: { fault: { kind: "stall", after: 2 }, code: "idle_timeout" },
    "error event": { fault: { kind: "error_event", after: 2 }, code: "upstream_error" },
    "malformed JSON": { fault: { kind: "malformed_json", after: 2 }, code: "upstream_invalid_response" },
    "truncated JSON": { fault: { kind: "truncated_json", after: 2 }, code: "upstream_invalid_response" },
  };

  test.each(Object.entries(faults))("%s: an error event, no [DONE], no charge", async (_name, { fault, code }) => {
    const response = await gateway.chat({ stream: true, sandbox: { fault, chunks: 6, chunk_delay_ms: 5 } });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).not.toContain("[DONE]");
    const events = text.trim().split("\n\n");
    expect(events.length).toBe(3);
    expect(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "")).toMatchObject({ error: { code } });
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({
      status: "failed",
      error: { code },
      billing: { amount_microusd: 0, status: "refunded" },
      routing: { status_code: 200 },
      usage: { measurement: { input: "local_estimate", output: "local_estimate" } },
    });
    expect(record.usage.prompt_tokens).toBeGreaterThan(0);
  });

  test("an endless stream without events is cut off", async () => {
    const response = await gateway.chat({ stream: true, sandbox: { fault: { kind: "garbage" } } });
    expect(response.status).toBe(502);
    await gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
  });
});

test("a closed port at the provider's address", async () => {
  const closed = await startTestGateway({
    providers: () => [{ id: "nowhere", baseUrl: "http://127.0.0.1:1/v1" }],
    models: [{ id: "lost", targets: [{ provider: "nowhere", model: "x" }] }],
  });
  try {
    const response = await closed.chat({ model: "lost" });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: "upstream_unreachable" } });
  } finally {
    await closed.stop();
  }
});

test("the next target answers if the first fails, and only it is charged", async () => {
  const two = await startTestGateway({
    models: [
      {
        id: "pair",
        targets: [
          { provider: "sandbox", model: "sandbox-status-500" },
          { provider: "sandbox", model: "sandbox-chat" },
        ],
      },
    ],
  });
  try {
    const response = await two.chat({ model: "pair" });
    expect(response.status).toBe(200);
    await response.json();
    expect(two.sandbox.requests.map((request) => request.model)).toEqual(["sandbox-status-500", "sandbox-chat"]);
    const record = await two.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "succeeded", routing: { attempts: 2, resolved_model: "pair" } });
  } finally {
    await two.stop();
  }
});
