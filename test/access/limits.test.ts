import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway, type TestKey } from "../gateway.testkit.ts";

/** A key's limits over HTTP. The limiter's arithmetic is tested beside it. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ clock });
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

const withKey = ({ key }: TestKey, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { authorization: `Bearer ${key}` },
});

interface ErrorBody {
  readonly error: {
    readonly type: string;
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
  };
}

/** Sends a chat request and reads the answer. */
async function ask(key: TestKey, body: Readonly<Record<string, unknown>> = {}) {
  const response = await gateway.chat(body, withKey(key));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function errorOf({ text }: { readonly text: string }): ErrorBody["error"] {
  return (JSON.parse(text) as ErrorBody).error;
}

/** The wait of a refusal in seconds, which must be the same in its header and message. */
function waitOf(refusal: Awaited<ReturnType<typeof ask>>): number {
  const seconds = Number(refusal.headers.get("retry-after"));
  expect(errorOf(refusal).message).toContain(`Retry in ${seconds} second${seconds === 1 ? "" : "s"}.`);
  return seconds;
}

async function recordStatus(key: TestKey, id: string | null): Promise<number> {
  const response = await gateway.fetch(`/api/usage/requests/${id}`, withKey(key));
  await response.arrayBuffer();
  return response.status;
}

describe("requests per minute", () => {
  test("exactly the limit of 50 concurrent requests passes", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 20 } });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(key, { stream: index % 2 === 0 })));
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([20, 30]);
    expect(gateway.sandbox.requests.length).toBe(20);
    for (const { headers } of passed) {
      expect(await recordStatus(key, headers.get("x-service-request-id"))).toBe(200);
    }
    for (const refusal of refused) {
      const error = errorOf(refusal);
      expect(error).toMatchObject({ type: "rate_limit_exceeded", code: "requests_per_minute" });
      expect(error.message).toContain("20 requests per minute");
      expect(waitOf(refusal)).toBeWithin(1, 62);
      expect(await recordStatus(key, refusal.headers.get("x-service-request-id"))).toBe(404);
    }
  });

  test("Retry-After is exact, and refusals do not extend it", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 2 } });
    await ask(key);
    clock.advance(20_000);
    await ask(key);
    const refusal = await ask(key);
    expect(refusal.status).toBe(429);
    const seconds = waitOf(refusal);
    expect(seconds).toBeWithin(39, 42);
    clock.advance((seconds - 2) * 1000);
    expect((await ask(key)).status).toBe(429);
    clock.advance(2_000);
    expect((await ask(key)).status).toBe(200);
    // The second request expires 20 seconds after the first.
    expect(waitOf(await ask(key))).toBeWithin(18, 22);
  });

  test.each([
    ["a body that is no request (400)", 400, { messages: "none" }, {}],
    ["an unknown model (404)", 404, { model: "nobody" }, {}],
    ["a model out of scope (403)", 403, { model: "sandbox-reasoning" }, { models: ["sandbox-chat"] }],
    ["an endpoint out of scope (403)", 403, {}, { endpoints: ["messages"] }],
  ])("%s cancels its bookings", async (_name, status, body, scopes) => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 1, concurrentRequests: 1 }, scopes });
    for (let times = 0; times < 3; times++) {
      const refusal = await ask(key, body);
      expect(refusal.status).toBe(status);
      expect(refusal.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    }
    expect(gateway.sandbox.requests.length).toBe(0);
  });

  test("a failed provider call counts", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    expect((await ask(key, { sandbox: { fault: { kind: "status", status: 500 } } })).status).toBe(502);
    expect((await ask(key)).status).toBe(429);
  });

  test("lists and lookups are free", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 1, concurrentRequests: 1 } });
    for (const path of ["/v1/models", "/v1/models/sandbox-chat", "/api/models/catalog", "/api/usage/requests/none"]) {
      for (let times = 0; times < 3; times++) {
        expect((await gateway.fetch(path, withKey(key))).status).toBe(path.endsWith("none") ? 404 : 200);
      }
    }
    const { status, headers } = await ask(key);
    expect(status).toBe(200);
    expect(await recordStatus(key, headers.get("x-service-request-id"))).toBe(200);
  });
});

describe("tokens per minute", () => {
  test("an estimate that is too low is corrected at the end", async () => {
    const limits = { tokensPerMinute: 1_000 };
    const remaining = ({ headers }: { headers: Headers }) => Number(headers.get("x-ratelimit-remaining-tokens"));
    const estimate = 1_000 - remaining(await ask(await gateway.newKey({ limits })));
    expect(estimate).toBeWithin(5, 15);
    const key = await gateway.newKey({ limits });
    const first = await ask(key, { sandbox: { tokens: { input: 600, output: 350 } } });
    expect(first.status).toBe(200);
    const second = await ask(key);
    expect(remaining(second)).toBe(1_000 - 950 - estimate);
    await ask(key, { sandbox: { tokens: { input: 40, output: 0 } } });
    const refusal = await ask(key);
    expect(refusal.status).toBe(429);
    expect(errorOf(refusal)).toMatchObject({ type: "rate_limit_exceeded", code: "tokens_per_minute" });
    expect(errorOf(refusal).message).toContain("1000 tokens per minute");
    clock.advance(waitOf(refusal) * 1000);
    expect((await ask(key)).status).toBe(200);
  });

  test("an estimate that is too high is corrected at the end", async () => {
    const key = await gateway.newKey({ limits: { tokensPerMinute: 1_000 } });
    const long = { messages: [{ role: "user", content: "x".repeat(2_400) }] };
    for (let times = 0; times < 5; times++) {
      const answer = await ask(key, { ...long, sandbox: { text: "ok", tokens: { input: 10, output: 1 } } });
      expect(answer.status).toBe(200);
    }
    expect((await ask(key, { stream: true, ...long, sandbox: { text: "ok" } })).status).toBe(200);
  });

  test("the estimate counts while the request runs", async () => {
    const key = await gateway.newKey({ limits: { tokensPerMinute: 1_000 } });
    const long = { messages: [{ role: "user", content: "x".repeat(2_400) }] };
    const running = await gateway.chat(
      { ...long, stream: true, sandbox: { chunks: 2, chunk_delay_ms: 100, tokens: { input: 5, output: 5 } } },
      withKey(key),
    );
    expect((await ask(key, long)).status).toBe(429);
    await running.text();
    expect((await ask(key, long)).status).toBe(200);
  });

  test("failed and refused requests return their tokens", async () => {
    const key = await gateway.newKey({ limits: { tokensPerMinute: 1_000 } });
    const long = { messages: [{ role: "user", content: "x".repeat(3_600) }] };
    for (let times = 0; times < 3; times++) {
      expect((await ask(key, { ...long, sandbox: { fault: { kind: "status", status: 500 } } })).status).toBe(502);
      expect((await ask(key, { ...long, model: "nobody" })).status).toBe(404);
    }
    const refused = await ask(key, { messages: [{ role: "user", content: "x".repeat(4_100) }] });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("x-ratelimit-remaining-tokens")).toBe("1000");
  });

  test("a single request above the limit is a 400 that names it", async () => {
    const key = await gateway.newKey({ limits: { tokensPerMinute: 100, requestsPerMinute: 1 } });
    const refusal = await ask(key, { messages: [{ role: "user", content: "x".repeat(1_000) }] });
    expect(refusal.status).toBe(400);
    expect(errorOf(refusal)).toMatchObject({ type: "invalid_request_error", code: "tokens_per_minute" });
    expect(errorOf(refusal).message).toContain("100 tokens per minute");
    expect(refusal.headers.get("retry-after")).toBeNull();
    expect(gateway.sandbox.requests.length).toBe(0);
    expect((await ask(key)).status).toBe(200);
  });

  test("no more concurrent requests pass than fit", async () => {
    const key = await gateway.newKey({ limits: { tokensPerMinute: 1_000 } });
    // Estimated at 107 tokens each: nine of them fit.
    const body = {
      messages: [{ role: "user", content: "x".repeat(400) }],
      sandbox: { tokens: { input: 107, output: 0 } },
    };
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(key, body)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(9);
    expect(gateway.sandbox.requests.length).toBe(9);
  });
});

describe("concurrent requests", () => {
  const stalled = { stream: true, sandbox: { fault: { kind: "stall", at: "body", after: 2 } } };

  test("a stalled stream counts until its caller disconnects", async () => {
    const key = await gateway.newKey({ limits: { concurrentRequests: 1 } });
    const leaving = new AbortController();
    const stream = await gateway.chat(stalled, withKey(key, { signal: leaving.signal }));
    expect(stream.status).toBe(200);
    const refusal = await ask(key);
    expect(refusal.status).toBe(429);
    expect(errorOf(refusal)).toMatchObject({ type: "rate_limit_exceeded", code: "concurrent_requests" });
    expect(errorOf(refusal).message).toContain("1 concurrent request");
    expect(waitOf(refusal)).toBe(1);
    expect(gateway.sandbox.requests.length).toBe(1);
    leaving.abort();
    await untilAnswered(key);
  });

  test("a stream counts until its end", async () => {
    const key = await gateway.newKey({ limits: { concurrentRequests: 1 } });
    const stream = await gateway.chat({ stream: true, sandbox: { chunks: 3, chunk_delay_ms: 30 } }, withKey(key));
    expect((await ask(key)).status).toBe(429);
    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
    expect((await ask(key)).status).toBe(200);
  });

  test("a failure ends the count, before and after the first byte", async () => {
    const key = await gateway.newKey({ limits: { concurrentRequests: 1 } });
    expect((await ask(key, { sandbox: { fault: { kind: "reset" } } })).status).toBe(502);
    expect((await ask(key, { stream: true, sandbox: { fault: { kind: "cut", after: 2 } } })).text).toContain('"error"');
    expect((await ask(key)).status).toBe(200);
  });

  test("a caller that disconnects before the answer ends the count", async () => {
    const key = await gateway.newKey({ limits: { concurrentRequests: 1 } });
    const leaving = new AbortController();
    const asked = gateway.chat(
      { sandbox: { fault: { kind: "stall", at: "headers" } } },
      withKey(key, { signal: leaving.signal }),
    );
    await gateway.sandbox.waitFor((requests) => requests.length === 1);
    expect((await ask(key)).status).toBe(429);
    leaving.abort();
    await asked.catch(() => undefined);
    await untilAnswered(key);
  });

  test("exactly the limit of 30 concurrent requests passes", async () => {
    const key = await gateway.newKey({ limits: { concurrentRequests: 7 } });
    const leaving = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: 30 }, () => gateway.chat(stalled, withKey(key, { signal: leaving.signal }))),
    );
    expect(streams.filter(({ status }) => status === 200).length).toBe(7);
    expect(gateway.sandbox.requests.length).toBe(7);
    leaving.abort();
    await untilAnswered(key);
  });

  /** The gateway notices a disconnect after a moment. */
  async function untilAnswered(key: TestKey): Promise<void> {
    const deadline = performance.now() + 3_000;
    while ((await ask(key)).status !== 200) {
      if (performance.now() > deadline) throw new Error("The place was not freed.");
      await Bun.sleep(5);
    }
  }
});

describe("X-RateLimit headers", () => {
  test("are in OpenAI's format on answers, streams and refusals", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 2, tokensPerMinute: 10_000 } });
    const first = await ask(key);
    expect(first.headers.get("x-ratelimit-limit-requests")).toBe("2");
    expect(first.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    expect(first.headers.get("x-ratelimit-reset-requests")).toMatch(/^(1m[01]s|59(\.\d{1,3})?s)$/);
    expect(first.headers.get("x-ratelimit-limit-tokens")).toBe("10000");
    expect(Number(first.headers.get("x-ratelimit-remaining-tokens"))).toBeWithin(9_900, 10_000);
    const second = await ask(key, { stream: true });
    expect(second.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const refusal = await ask(key);
    expect(refusal.status).toBe(429);
    expect(refusal.headers.get("x-ratelimit-limit-requests")).toBe("2");
    expect(refusal.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(refusal.headers.get("x-ratelimit-reset-requests")).toMatch(/^(1m[01]s|59(\.\d{1,3})?s)$/);
    expect(refusal.headers.get("x-ratelimit-limit-tokens")).toBe("10000");
  });

  test("are absent if the key has no limit", async () => {
    const { headers } = await ask({ id: "", key: gateway.key });
    expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
  });
});
