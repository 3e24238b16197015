import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RouteDefinition } from "../../src/routing/names/route.ts";
import { defaultFallbackOn, defaultRetry } from "../../src/config/defaults.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** `POST /api/routes/explain`: the choice, without calling a provider. */

const policy = (id: string, members: readonly string[], change: object = {}): RouteDefinition => ({
  kind: "policy",
  id,
  strategy: "priority",
  members: members.map((model) => ({ model, weight: 1 })),
  requires: [],
  retry: defaultRetry,
  fallbackOn: defaultFallbackOn,
  hedgeAfterMs: null,
  ...change,
});

const prices = { input: 1_000_000, output: 2_000_000 };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "first", baseUrl: url },
      { id: "second", baseUrl: url },
      { id: "claude", baseUrl: url.replace("/v1", ""), dialects: ["anthropic-messages"] },
    ],
    models: [
      // Never called, so it has no latency.
      { id: "quiet", targets: [{ provider: "first", model: "quiet-up" }], prices, maxOutputTokens: 1_000 },
      { id: "cheap", targets: [{ provider: "first", model: "cheap-up" }], prices, maxOutputTokens: 1_000 },
      {
        id: "dear",
        targets: [{ provider: "second", model: "dear-up" }],
        prices: { input: 10_000_000, output: 20_000_000 },
        maxOutputTokens: 4_000,
      },
      { id: "short", targets: [{ provider: "first", model: "short-up" }], prices, contextLength: 50 },
      { id: "blind", targets: [{ provider: "first", model: "blind-up" }], prices, parameters: { tools: false } },
      { id: "by-claude", targets: [{ provider: "claude", model: "claude-haiku-4-5" }], prices },
      { id: "free-for-all/*", targets: [{ provider: "second", model: "*" }], prices: null },
    ],
    routes: [
      policy("turns", ["cheap", "dear"], { strategy: "round_robin" }),
      policy("able", ["blind", "short", "by-claude", "dear"]),
      { kind: "alias", id: "fast", leadsTo: "cheap" },
    ],
    auto: true,
    sandbox: { models: { "cheap-up": {}, "dear-up": {}, "short-up": {}, "blind-up": {} } },
  });
});
afterAll(() => gateway.stop());

interface Explanation {
  readonly requested_model: string;
  readonly strategy_name: string;
  readonly chosen: { readonly model: string; readonly provider: string | null } | null;
  readonly candidates: readonly { readonly model: string; readonly provider: string | null; readonly state: string }[];
  readonly excluded: readonly { readonly model: string; readonly provider: string | null; readonly reason: string }[];
  readonly estimated_amount_microusd: number | null;
  readonly greatest_amount_microusd: number | null;
}

async function ask(body: object, { path = "/api/routes/explain", key = gateway.key } = {}) {
  const response = await gateway.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function explain(body: object, options?: Parameters<typeof ask>[1]): Promise<Explanation> {
  const { status, body: explanation } = await ask(body, options);
  expect({ status, explanation }).toMatchObject({ status: 200 });
  return explanation as Explanation;
}

const hello = { messages: [{ role: "user", content: "Hello!" }] };

test("a plain model, an alias and a policy, with their costs", async () => {
  expect(await explain({ model: "quiet", max_tokens: 100, ...hello })).toEqual({
    object: "route.explanation",
    requested_model: "quiet",
    strategy_name: "direct",
    chosen: { model: "quiet", provider: "first" },
    candidates: [
      {
        model: "quiet",
        provider: "first",
        state: "closed",
        in_flight: 0,
        latency_ms: null,
        estimated_amount_microusd: expect.any(Number),
      },
    ],
    excluded: [],
    estimated_amount_microusd: expect.any(Number),
    greatest_amount_microusd: expect.any(Number),
  } as unknown as Explanation);
  expect(await explain({ model: "fast", ...hello })).toMatchObject({
    strategy_name: "alias",
    requested_model: "fast",
    chosen: { model: "cheap" },
  });
  expect(await explain({ model: "free-for-all/some-model", ...hello })).toMatchObject({
    chosen: { model: "free-for-all/some-model", provider: "second" },
    estimated_amount_microusd: null,
    greatest_amount_microusd: null,
  });
});

test("the maximum amount bounds the cost of the request at every candidate", async () => {
  const body = { model: "turns", max_tokens: 100, ...hello };
  const { greatest_amount_microusd: greatest, estimated_amount_microusd: estimated } = await explain(body);
  // 100 output tokens of the more expensive model alone are 2,000 micro-USD.
  expect(greatest).toBeGreaterThanOrEqual(2_000);
  expect(estimated).toBeLessThanOrEqual(greatest ?? 0);
  for (let turn = 0; turn < 2; turn++) {
    const answer = await gateway.chat(body);
    const { billing } = await gateway.record(answer.headers.get("x-service-request-id"));
    expect(billing.amount_microusd).toBeLessThanOrEqual(greatest ?? 0);
    expect(billing.amount_microusd).toBeGreaterThan(0);
  }
});

test("no provider is called, nothing is recorded, and the rotation does not advance", async () => {
  const before = gateway.sandbox.requests.length;
  const first = await explain({ model: "turns", ...hello });
  expect(await explain({ model: "turns", ...hello })).toEqual(first);
  const { headers } = await ask({ model: "turns", ...hello });
  expect(gateway.sandbox.requests.length).toBe(before);
  const id = headers.get("x-service-request-id") ?? "";
  expect(id).toStartWith("req_");
  expect((await gateway.fetch(`/api/usage/requests/${id}`)).status).toBe(404);
  const answered = await gateway.chat({ model: "turns", ...hello });
  const record = await gateway.record(answered.headers.get("x-service-request-id"));
  expect(record.routing.resolved_model).toBe(first.chosen?.model ?? "");
});

test("exclusions have reasons: capability, context length, dialect, scope", async () => {
  const explanation = await explain({
    model: "able",
    messages: [{ role: "user", content: "word ".repeat(400) }],
    tools: [{ type: "function", function: { name: "look" } }],
    // Anthropic does not support this.
    n: 2,
  });
  expect(explanation.chosen).toEqual({ model: "dear", provider: "second" });
  expect(explanation.excluded.map(({ model, provider }) => `${provider}/${model}`)).toEqual([
    "first/blind",
    "first/short",
    "claude/by-claude",
  ]);
  const [ability, length, dialect] = explanation.excluded.map(({ reason }) => reason);
  expect(ability).toContain("'tools'");
  expect(length).toContain("50 tokens");
  expect(dialect).toContain("'n'");
});

describe("a key", () => {
  test("is shown only what it may call, unless it is an operator's", async () => {
    const scopes = { models: ["cheap", "turns"] };
    const { key } = await gateway.newKey({ scopes });
    const explanation = await explain({ model: "turns", ...hello }, { key });
    expect(explanation).toMatchObject({ chosen: { model: "cheap" }, excluded: [] });
    expect(JSON.stringify(explanation)).not.toContain("dear");
    const operator = await gateway.newKey({ scopes, admin: true });
    expect(await explain({ model: "turns", ...hello }, operator)).toMatchObject({
      chosen: { model: "cheap" },
      excluded: [{ model: "dear", provider: "second", reason: "the API key may not use it" }],
    });
  });

  test("that may call nothing of it gets the error of the request itself", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["quiet"] } });
    for (const model of ["dear", "turns"]) {
      const { status, body } = await ask({ model, ...hello }, { key });
      expect({ status, body }).toMatchObject({ status: 403, body: { error: { code: "model_not_allowed" } } });
      expect(JSON.stringify(body)).not.toContain("second");
    }
  });

  test("is refused while as many of its requests are running as may", async () => {
    const { key } = await gateway.newKey({ limits: { concurrentRequests: 1 } });
    const leaving = new AbortController();
    const stalled = { model: "cheap", stream: true, sandbox: { fault: { kind: "stall", at: "body", after: 1 } } };
    const headers = { authorization: `Bearer ${key}` };
    const running = await gateway.chat(stalled, { headers, signal: leaving.signal });
    expect(running.status).toBe(200);
    const refusal = await ask({ model: "quiet", ...hello }, { key });
    expect(refusal).toMatchObject({ status: 429, body: { error: { code: "concurrent_requests" } } });
    leaving.abort();
  });

  test("spends its requests per minute and its requests in flight", async () => {
    const { key } = await gateway.newKey({ limits: { requestsPerMinute: 2, concurrentRequests: 1 } });
    await explain({ model: "quiet", ...hello }, { key });
    expect(await ask({ model: "quiet" }, { key })).toMatchObject({ status: 400 });
    const { status, headers, body } = await ask({ model: "quiet", ...hello }, { key });
    expect({ status, body }).toMatchObject({ status: 429, body: { error: { code: "requests_per_minute" } } });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    const answer = await gateway.chat({ model: "quiet" }, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(429);
  });
});

test("no figure of a caller's is too large to be explained", async () => {
  for (const max_tokens of [1e9, 1e16, 1e25, 1e300]) {
    const explanation = await explain({ model: "by-claude", max_tokens, ...hello });
    for (const amount of [explanation.estimated_amount_microusd, explanation.greatest_amount_microusd]) {
      expect(Number.isSafeInteger(amount)).toBe(true);
    }
  }
  expect(await ask({ model: "quiet", n: 1e300, ...hello })).toMatchObject({
    status: 400,
    body: { error: { param: "n" } },
  });
});

test("the request then goes to the chosen candidate, past one whose dialect does not support it", async () => {
  const answer = await gateway.chat({
    model: "able",
    n: 2,
    ...hello,
    tools: [{ type: "function", function: { name: "look" } }],
  });
  expect(answer.status).toBe(200);
  const record = await gateway.record(answer.headers.get("x-service-request-id"));
  expect(record.routing).toMatchObject({ strategy_name: "priority", resolved_model: "short", attempts: 1 });
});

test("without a candidate, chosen is null", async () => {
  const long = { messages: [{ role: "user", content: "word ".repeat(400) }] };
  expect(await explain({ model: "short", ...long })).toMatchObject({
    chosen: null,
    candidates: [],
    estimated_amount_microusd: null,
    greatest_amount_microusd: null,
  });
});

describe("the body of each endpoint", () => {
  test.each([
    ["messages", { model: "cheap", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }],
    ["responses", { model: "cheap", input: "Hi" }],
    ["generate_content", { model: "cheap", contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
  ])("%s", async (endpoint, body) => {
    const path = `/api/routes/explain?endpoint=${endpoint}`;
    expect(await explain(body, { path })).toMatchObject({ chosen: { model: "cheap" } });
  });

  test("an unknown endpoint, invalid body, unknown model or wrong method is an error that names it", async () => {
    expect(await ask({}, { path: "/api/routes/explain?endpoint=nothing" })).toMatchObject({
      status: 400,
      body: { error: { param: "endpoint" } },
    });
    expect(await ask({ model: "cheap" })).toMatchObject({ status: 400, body: { error: { param: "messages" } } });
    expect(await ask({ model: "nobody", ...hello })).toMatchObject({
      status: 404,
      body: { error: { code: "model_not_found" } },
    });
    expect(await ask({ model: "cheap", ...hello }, { key: "sk-wrong" })).toMatchObject({ status: 401 });
    expect((await gateway.fetch("/api/routes/explain")).status).toBe(405);
  });
});

test("hide_provider also applies here", async () => {
  const hiding = await startTestGateway({ server: { hideProvider: true } });
  try {
    const response = await hiding.fetch("/api/routes/explain", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "sandbox-chat", ...hello }),
    });
    expect(await response.json()).toMatchObject({ chosen: { model: "sandbox-chat", provider: null } });
    const { key } = await hiding.newKey({ admin: true });
    const health = await hiding.fetch("/api/admin/health", { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await health.json()) as { data: readonly { provider: string | null }[] };
    expect(new Set(data.map(({ provider }) => provider))).toEqual(new Set([null]));
  } finally {
    await hiding.stop();
  }
});
