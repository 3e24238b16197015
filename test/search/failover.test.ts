import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BackendSettings } from "../../src/config/search-backends.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { searchAt } from "./search.testkit.ts";

let gateway: TestGateway;

/** Accounts of one provider, so that each backend can fail by itself. */
const backend = (url: string, id: string, settings: Partial<BackendSettings> = {}): BackendSettings => ({
  id,
  provider: "tavily",
  baseUrl: `${url}/search/tavily@${id}`,
  apiKeys: ["tvly-key"],
  ...settings,
});

beforeAll(async () => {
  gateway = await startTestGateway({
    backends: (url) => [
      backend(url, "second", { priority: 2, prices: { web_search: 5_000 } }),
      backend(url, "first", { name: "First of all", priority: 1, timeoutMs: 300, prices: { web_search: 8_000 } }),
      backend(url, "third", { priority: 3, allowFallback: true }),
      backend(url, "off", { priority: 0, enabled: false }),
    ],
  });
});
beforeEach(() => {
  gateway.sandbox.reset();
  for (const id of ["first", "second", "third"]) gateway.sandbox.setModel(`search/tavily@${id}`, {});
});
afterAll(() => gateway.stop());

const fail = (id: string, script: Parameters<TestGateway["sandbox"]["setModel"]>[1]) =>
  gateway.sandbox.setModel(`search/tavily@${id}`, script);

const status = (code: number, message = "no", headers: Record<string, string> = {}) =>
  ({ fault: { kind: "status", status: code, message, headers } }) as const;

test("auto asks the lowest priority first, and names those that are disabled", async () => {
  const { body } = await searchAt(gateway);
  expect(body.route_receipt).toMatchObject({
    selection: "auto",
    selected_backend: "first",
    candidates: ["first", "second", "third"],
    rejected: [{ backend: "off", reason: "disabled" }],
    fallback_count: 0,
    decision_reason: "priority",
  });
});

describe("falls over on each class of fault", () => {
  const faults: readonly (readonly [
    name: string,
    script: Parameters<TestGateway["sandbox"]["setModel"]>[1],
    reason: string,
  ])[] = [
    ["a wrong key", status(401, "Unauthorized: missing or invalid API key."), "failed_credential"],
    ["a used-up plan", status(432, "This request exceeds your plan's set usage limit"), "failed_quota"],
    ["a used-up limit of paying as one goes", status(433), "failed_quota"],
    ["a rate limit", status(429), "failed_rate_limit"],
    ["a refused parameter", status(400, "Invalid topic."), "unsupported_option"],
    ["a failure", status(500), "failed_server"],
    ["a proxy's page", { fault: { kind: "html" } }, "failed_server"],
    [
      "an answer that is none",
      { fault: { kind: "status", status: 200, body: { detail: "x" } } },
      "failed_invalid_response",
    ],
    ["broken JSON", { fault: { kind: "malformed_json" } }, "failed_invalid_response"],
    ["an empty body", { fault: { kind: "empty_body" } }, "failed_invalid_response"],
    ["a closed connection", { fault: { kind: "close" } }, "failed_unreachable"],
    ["silence", { fault: { kind: "stall", at: "headers" } }, "failed_timeout"],
  ];

  test.each(faults)("%s", async (_, script, reason) => {
    fail("first", script);
    const { status: code, body, headers } = await searchAt(gateway);
    expect(code).toBe(200);
    expect(body.route_receipt).toMatchObject({
      selected_backend: "second",
      rejected: [
        { backend: "first", reason },
        { backend: "off", reason: "disabled" },
      ],
      fallback_count: 1,
      decision_reason: "fallback",
    });
    expect(body.provider_trace.attempts).toBe(2);
    expect(headers.get("x-service-amount-microusd")).toBe("5000");
    const record = await gateway.record(body.id);
    expect(record).toMatchObject({
      billing: { amount_microusd: 5_000 },
      routing: { resolved_model: "second", attempts: 2 },
      route_receipt: { rejected: [{ backend: "first", reason }, { backend: "off" }] },
    });
  });
});

test("an empty answer is an answer, and is charged", async () => {
  const { status: code, body } = await searchAt(gateway, { query: "xylophone" });
  expect([code, body.results, body.route_receipt.selected_backend]).toEqual([200, [], "first"]);
  expect((await gateway.record(body.id)).billing).toMatchObject({ status: "charged", amount_microusd: 8_000 });
});

describe("a named backend", () => {
  test.each([["first"], ["First of all"]])("%s is asked alone", async (name) => {
    const good = await searchAt(gateway, { backend: name });
    expect(good.body.route_receipt).toMatchObject({
      selection: "explicit",
      selected_backend: "first",
      candidates: ["first"],
      rejected: [],
      decision_reason: "explicit",
    });
  });

  const errors: readonly (readonly [
    script: Parameters<TestGateway["sandbox"]["setModel"]>[1],
    code: number,
    error: string,
  ])[] = [
    [status(401), 502, "upstream_error"],
    [status(432), 502, "upstream_error"],
    [status(500), 502, "upstream_error"],
    [{ fault: { kind: "stall", at: "headers" } }, 504, expect.stringContaining("_timeout")],
    [{ fault: { kind: "close" } }, 502, "upstream_unreachable"],
    [{ fault: { kind: "malformed_json" } }, 502, "upstream_invalid_response"],
  ];

  test.each(errors)("%j is told as %i %s, and is free", async (script, code, error) => {
    fail("first", script);
    const { status: told, body, headers } = await searchAt(gateway, { backend: "first" });
    expect([told, body.error?.code]).toEqual([code, error]);
    expect(headers.get("x-service-amount-microusd")).toBe("0");
    const record = await gateway.record(headers.get("x-service-request-id"));
    expect(record).toMatchObject({
      status: "failed",
      billing: { status: "refunded", amount_microusd: 0, line_items: [] },
      routing: { resolved_model: null },
      route_receipt: { selected_backend: null, decision_reason: "none", fallback_count: 1 },
    });
  });

  test("that limits the rate is a 429 with the wait", async () => {
    // Of its own, since the backend rests from then on.
    const limited = await startTestGateway({ backends: (url) => [backend(url, "limited")] });
    limited.sandbox.setModel("search/tavily@limited", status(429, "slow", { "retry-after": "60" }));
    const { status: code, body, headers } = await searchAt(limited, { backend: "limited" });
    expect([code, body.error?.code, headers.get("retry-after")]).toEqual([429, "provider_rate_limit", "60"]);
    const resting = await searchAt(limited);
    expect([resting.status, resting.body.error?.code]).toEqual([503, "no_target_available"]);
    const record = await limited.record(resting.headers.get("x-service-request-id"));
    expect(record.route_receipt).toMatchObject({ rejected: [{ backend: "limited", reason: "unhealthy" }] });
    await limited.stop();
  });

  test("a refused parameter is a 400 in the provider's words", async () => {
    fail("first", status(400, "Invalid country."));
    const { status: code, body } = await searchAt(gateway, { backend: "first" });
    expect([code, body.error?.type, body.error?.message]).toEqual([400, "invalid_request_error", "Invalid country."]);
  });

  test("switches only if its own settings allow it", async () => {
    fail("third", status(500));
    const { status: code, body } = await searchAt(gateway, { backend: "third" });
    expect(code).toBe(200);
    expect(body.route_receipt).toMatchObject({
      selection: "explicit",
      selected_backend: "first",
      candidates: ["third", "first", "second"],
      rejected: [{ backend: "third", reason: "failed_server" }],
    });
  });

  test("that is disabled is a 404", async () => {
    const { status: code, body } = await searchAt(gateway, { backend: "off" });
    expect([code, body.error?.code]).toEqual([404, "backend_not_found"]);
  });
});

test("a provider's name leads to its backends", async () => {
  const { body } = await searchAt(gateway, { backend: "tavily" });
  expect(body.route_receipt).toMatchObject({ selection: "explicit", candidates: ["first", "second", "third"] });
});

test("if all fail alike the caller sees their class, else that all failed", async () => {
  for (const id of ["first", "second", "third"]) fail(id, status(500));
  const alike = await searchAt(gateway);
  expect([alike.status, alike.body.error?.code]).toEqual([502, "upstream_error"]);
  fail("second", { fault: { kind: "close" } });
  const mixed = await searchAt(gateway);
  expect([mixed.status, mixed.body.error?.code]).toEqual([502, "all_targets_failed"]);
  const record = await gateway.record(mixed.headers.get("x-service-request-id"));
  expect(record).toMatchObject({
    billing: { amount_microusd: 0 },
    routing: { attempts: 3 },
    route_receipt: {
      selected_backend: null,
      fallback_count: 3,
      rejected: [
        { backend: "second", reason: "failed_unreachable" },
        { backend: "first", reason: "failed_server" },
        { backend: "third", reason: "failed_server" },
        { backend: "off", reason: "disabled" },
      ],
    },
  });
});

test("a search is explained and quoted without being made", async () => {
  const post = async (path: string, body: object) => {
    const response = await gateway.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()] as const;
  };
  expect(await post("/api/routes/explain?endpoint=search", { query: "q", search_depth: "advanced" })).toMatchObject([
    200,
    {
      requested_model: "auto",
      strategy_name: "auto",
      chosen: { model: "first", provider: "tavily" },
      candidates: [{ model: "first" }, { model: "second" }, { model: "third" }],
      excluded: [{ model: "off", reason: expect.stringContaining("disabled") }],
      estimated_amount_microusd: 16_000,
    },
  ]);
  expect(await post("/api/quote", { path: "/v1/search", body: { query: "q", backend: "second" } })).toMatchObject([
    200,
    {
      model: "second",
      resolved_model: "second",
      estimated: { amount_microusd: 5_000, line_items: [{ dimension: "web_search", quantity: 1 }] },
      greatest: { amount_microusd: expect.any(Number) },
    },
  ]);
  expect(gateway.sandbox.requests).toHaveLength(0);
});

test("operators see how each backend has been doing", async () => {
  fail("second", status(500));
  await searchAt(gateway, { backend: "second" });
  const { key } = await gateway.newKey({ admin: true });
  const response = await gateway.fetch("/api/admin/health", { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await response.json()) as {
    data: readonly { readonly model: string; readonly error_rate: number }[];
  };
  const rates = new Map(data.map(({ model, error_rate: rate }) => [model, rate]));
  expect([rates.get("second"), rates.get("off")]).toEqual([expect.any(Number), 0]);
  expect(rates.get("second")).toBeGreaterThan(0);
});
