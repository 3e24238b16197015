import { afterEach, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createInstallation } from "../installation.testkit.ts";

/** The log: one line for each request, without secrets and content. */

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const requestId = (response: Response) => response.headers.get("x-service-request-id") ?? "";

async function start(): Promise<TestGateway> {
  const gateway = await startTestGateway({
    providers: () => [
      {
        id: "secretive",
        apiKeys: ["sk-provider-0123456789abcdefghij"],
        headers: { "x-tenant": "tenant-secret-value" },
      },
    ],
    models: [{ id: "hidden", targets: [{ provider: "secretive", model: "sandbox-chat" }] }],
  });
  cleanUps.push(() => gateway.stop());
  return gateway;
}

const linesOf = (gateway: TestGateway, id: string) => gateway.log.filter(({ fields }) => fields["request_id"] === id);

test("a request is one line with the fields for operators", async () => {
  const gateway = await start();
  const { id: keyId, key } = await gateway.newKey();
  const response = await gateway.chat(
    { model: "hidden", stream: true, sandbox: { tokens: { input: 1_000, cache_read: 400, output: 10 } } },
    { headers: { authorization: `Bearer ${key}` } },
  );
  await response.text();
  expect(linesOf(gateway, requestId(response))).toEqual([
    {
      level: "info",
      message: "request",
      fields: {
        request_id: requestId(response),
        key_id: keyId,
        endpoint: "/v1/chat/completions",
        model: "hidden",
        provider: "secretive",
        resolved_model: "hidden",
        status: "succeeded",
        status_code: 200,
        stream: true,
        attempts: 1,
        latency_ms: expect.any(Number),
        input_tokens: 600,
        cache_read_tokens: 400,
        output_tokens: 10,
        amount_microusd: 150 + 10 + 20,
      },
    },
  ]);
});

test.each([
  ["refused by scope", 403, { model: "sandbox-reasoning" }, { status: "refused", error_code: "model_not_allowed" }],
  ["that is no JSON request", 400, { messages: 7 }, { status: "refused", error_type: "invalid_request_error" }],
  [
    "failed by the provider",
    502,
    { sandbox: { fault: { kind: "status", status: 500 } } },
    { status: "failed", error_code: "upstream_error" },
  ],
  ["turned away by a limit", 429, {}, { status: "refused", error_code: "requests_per_minute" }],
])("a request %s is one line", async (_name, status, body, expected) => {
  const gateway = await start();
  const { id, key } = await gateway.newKey({ scopes: { models: ["sandbox-chat"] }, limits: { requestsPerMinute: 1 } });
  const ask = () => gateway.chat(body, { headers: { authorization: `Bearer ${key}` } });
  if (status === 429) await ask();
  const response = await ask();
  expect(response.status).toBe(status);
  const lines = linesOf(gateway, requestId(response)).filter(({ level }) => level !== "debug");
  expect(lines.map(({ fields }) => fields)).toEqual([
    expect.objectContaining({ ...expected, status_code: status, key_id: id, request_id: requestId(response) }),
  ]);
});

test("a disconnect is one line", async () => {
  const gateway = await start();
  const leaving = new AbortController();
  const response = await gateway.chat(
    { stream: true, sandbox: { fault: { kind: "stall", at: "body", after: 2 } } },
    { signal: leaving.signal },
  );
  leaving.abort();
  await gateway.eventualRecord(requestId(response));
  const lines = linesOf(gateway, requestId(response));
  expect(lines.map(({ fields }) => fields["status"])).toEqual(["cancelled"]);
});

describe("no line contains", () => {
  const said = { prompt: "WORDS-OF-THE-PROMPT", answer: "WORDS-OF-THE-ANSWER" };
  const body = { messages: [{ role: "user", content: said.prompt }], user: "USER-NAME", metadata: { a: "METADATA" } };

  /** Requests with all outcomes, and keys in all places. */
  async function makeNoise(url: string, key: string, model: string): Promise<void> {
    const post = (path: string, headers: Record<string, string>, content: object) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ model, ...body, sandbox: { text: said.answer }, ...content }),
      });
    const faults = ["status", "error_body", "malformed_json", "reset", "cut", "error_event", "html"].flatMap((kind) => {
      const fault =
        kind === "status"
          ? { kind, status: 400, message: `Incorrect: ${said.prompt}` }
          : { kind, message: `Flagged: ${said.prompt}` };
      return [false, true].map((stream) => ({ stream, sandbox: { text: said.answer, fault } }));
    });
    const bearer = { authorization: `Bearer ${key}` };
    const answers = await Promise.all([
      post("/v1/chat/completions", bearer, {}),
      post("/v1/chat/completions", { "x-api-key": key }, { stream: true }),
      post(`/v1/chat/completions?key=${key}`, {}, {}),
      post(`/v1/chat/completions?a=1&key=${key}&b=2`, {}, { messages: said.prompt }),
      post(`/v1/chat/completions?key=${key}x`, {}, {}),
      post("/v1/chat/completions", { authorization: `Bearer ${key}x` }, {}),
      post(`/v1/nowhere?key=${key}`, {}, {}),
      fetch(`${url}/api/usage/requests/req_nothing?key=${key}`),
      fetch(`${url}/v1/models/nothing?key=${key}`),
      ...faults.map((fault) => post("/v1/chat/completions", bearer, fault)),
    ]);
    for (const answer of answers) await answer.text().catch(() => undefined);
  }

  test("a secret, a prompt or an answer, at any level", async () => {
    const gateway = await start();
    await makeNoise(gateway.url, gateway.key, "hidden");
    const log = JSON.stringify(gateway.log);
    expect(gateway.log.length).toBeGreaterThan(15);
    const [, , , secret = ""] = gateway.key.split("-");
    const secrets = [secret, "sk-provider", "0123456789abcdefghij", "tenant-secret-value", "USER-NAME", "METADATA"];
    for (const word of [...secrets, ...Object.values(said), "key="]) expect(log).not.toContain(word);
  });

  test("any of these in the output of the program", async () => {
    const installation = await createInstallation();
    cleanUps.push(() => installation.remove());
    const gateway = await installation.start();
    await makeNoise(gateway.url, installation.key, "plain");
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(0);
    const [, , , secret = ""] = installation.key.split("-");
    for (const word of [secret, ...Object.values(said), "USER-NAME", "key="])
      expect(gateway.output()).not.toContain(word);
    const lines = gateway
      .output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = lines.filter(({ message }) => message === "request");
    expect(requests.length).toBe(23);
    expect(new Set(requests.map(({ request_id }) => request_id)).size).toBe(23);
  });
});

describe("a request at a path of the gateway's own is one line", () => {
  test.each([
    ["GET", "/v1/models", 200, { status: "succeeded", endpoint: "/v1/models" }],
    ["GET", "/api/usage/requests/req_x?key=1", 404, { status: "refused", error_code: "request_not_found" }],
    ["GET", "/nowhere", 404, { status: "refused", error_type: "not_found_error", error_code: "unknown_path" }],
    ["PUT", "/v1/models", 405, { status: "refused", error_code: "method_not_allowed" }],
    ["GET", "/v1/chat/completions", 405, { status: "refused" }],
    ["OPTIONS", "/v1/chat/completions", 204, { status: "succeeded" }],
  ])("%s %s", async (method, path, statusCode, expected) => {
    const gateway = await start();
    const response = await gateway.fetch(path, { method });
    expect(response.status).toBe(statusCode);
    const lines = linesOf(gateway, requestId(response));
    expect(lines.map(({ level, message, fields }) => ({ level, message, fields }))).toEqual([
      {
        level: "info",
        message: "request",
        fields: expect.objectContaining({ ...expected, method, status_code: statusCode, attempts: 0 }),
      },
    ]);
  });

  test.each(["/healthz", "/readyz"])("except %s", async (path) => {
    const gateway = await start();
    const response = await gateway.fetch(path);
    expect([response.status, linesOf(gateway, requestId(response))]).toEqual([200, []]);
  });
});
