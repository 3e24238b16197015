import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { DialectName } from "../../src/dialects/exchange.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Token counts: by the provider if it speaks the caller's dialect, otherwise estimated. */

const dialects = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    providers: (url) =>
      dialects.map((dialect) => ({
        id: dialect,
        dialects: [dialect],
        baseUrl: dialect.startsWith("openai") ? url : url.replace(/\/v1$/, ""),
      })),
    models: [
      ...dialects.map((dialect) => ({ id: dialect, targets: [{ provider: dialect, model: "sandbox-chat" }] })),
      { id: "broken", targets: [{ provider: "anthropic-messages", model: "sandbox-status-500" }] },
      { id: "missing", targets: [{ provider: "anthropic-messages", model: "no-such-model" }] },
    ],
  });
});
afterAll(() => gateway.stop());

const text = "The quick brown fox jumps over the lazy dog.";
const paths: Readonly<Record<string, string>> = {
  "anthropic-messages": "/v1/messages/count_tokens",
  "openai-responses": "/v1/responses/input_tokens",
};
const bodies: Readonly<Record<string, object>> = {
  "anthropic-messages": { messages: [{ role: "user", content: text }] },
  "openai-responses": { input: text },
  gemini: { contents: [{ role: "user", parts: [{ text }] }] },
};

function count(caller: string, model: string, body: object = {}, key = gateway.key) {
  const path = paths[caller] ?? `/v1beta/models/${model}:countTokens`;
  const named = caller === "gemini" ? {} : { model };
  return gateway.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...named, ...bodies[caller], ...body }),
  });
}

async function counted(response: Response): Promise<number> {
  const answer = (await response.json()) as Record<string, unknown>;
  expect({ status: response.status, answer }).toMatchObject({ status: 200 });
  return Number(answer.input_tokens ?? answer.totalTokens);
}

const callers: readonly DialectName[] = ["anthropic-messages", "openai-responses", "gemini"];
const pairs = callers.flatMap((caller) => dialects.map((provider) => [caller, provider] as const));

test.each(pairs)("a caller of %s, for a model at %s", async (caller, provider) => {
  const before = gateway.sandbox.requests.length;
  const response = await count(caller, provider);
  const tokens = await counted(response);
  expect(tokens).toBeGreaterThanOrEqual(9);
  expect(tokens).toBeLessThanOrEqual(20);
  const isNative = caller === provider;
  expect(gateway.sandbox.requests.length - before).toBe(isNative ? 1 : 0);

  const record = await gateway.record(response.headers.get("x-service-request-id"));
  expect(record).toMatchObject({
    status: "succeeded",
    usage: { prompt_tokens: 0, completion_tokens: 0 },
    billing: { amount_microusd: 0, status: "free", line_items: [] },
    routing: { attempts: isNative ? 1 : 0, chose_provider: isNative ? provider : null, status_code: 200 },
  });
});

describe("with the official SDKs", () => {
  test("Anthropic's", async () => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key });
    const messages = [{ role: "user" as const, content: text }];
    for (const model of ["anthropic-messages", "openai-chat"]) {
      expect((await client.messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(8);
    }
  });

  test("Google's", async () => {
    const client = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
    for (const model of ["gemini", "anthropic-messages"]) {
      expect((await client.models.countTokens({ model, contents: text })).totalTokens).toBeGreaterThan(8);
    }
  });

  test("OpenAI's", async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    for (const model of ["openai-responses", "gemini"]) {
      expect((await client.responses.inputTokens.count({ model, input: text })).input_tokens).toBeGreaterThan(8);
    }
  });
});

test("tools and instructions are counted", async () => {
  const tools = [{ name: "look", description: "Looks something up in a long list", input_schema: { type: "object" } }];
  for (const model of ["openai-chat", "anthropic-messages"]) {
    const alone = await counted(await count("anthropic-messages", model));
    expect(await counted(await count("anthropic-messages", model, { tools, system: text }))).toBeGreaterThan(
      alone + 10,
    );
  }
});

test("a complete request is counted at Gemini under the provider's model name", async () => {
  const generateContentRequest = { model: "models/gemini", contents: [{ role: "user", parts: [{ text }] }] };
  const response = await count("gemini", "gemini", { contents: undefined, generateContentRequest });
  expect(await counted(response)).toBeGreaterThan(8);
  const sent: unknown = JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body));
  expect(sent).toMatchObject({ generateContentRequest: { model: "models/sandbox-chat" } });
});

test("also under /v1, for newer Google SDKs", async () => {
  const response = await gateway.fetch("/v1/models/openai-chat:countTokens", {
    method: "POST",
    body: JSON.stringify(bodies.gemini),
  });
  expect(await counted(response)).toBeGreaterThan(8);
});

test("the conversation before a stored response is counted", async () => {
  const made = await gateway.fetch("/v1/responses", {
    method: "POST",
    body: JSON.stringify({ model: "openai-responses", input: text.repeat(20) }),
  });
  const { id } = (await made.json()) as { id: string };
  const before = gateway.sandbox.requests.length;
  const continued = await count("openai-responses", "openai-responses", { previous_response_id: id });
  expect(await counted(continued)).toBeGreaterThan(180);
  expect(gateway.sandbox.requests.length).toBe(before);
});

test.each(["broken", "missing"])(
  "a provider that cannot count does not keep the caller from a count: %s",
  async (model) => {
    const response = await count("anthropic-messages", model);
    expect(await counted(response)).toBeGreaterThan(8);
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "succeeded", billing: { amount_microusd: 0, status: "free" } });
    expect(record.routing).toMatchObject({ attempts: 1, chose_provider: null });
  },
);

test("counts do not use a key's requests and tokens per minute", async () => {
  const { key } = await gateway.newKey({ limits: { requestsPerMinute: 1, tokensPerMinute: 100 } });
  const headers = { authorization: `Bearer ${key}` };
  for (let times = 0; times < 3; times++) await counted(await count("anthropic-messages", "openai-chat", {}, key));
  expect((await gateway.chat({ max_tokens: 10 }, { headers })).status).toBe(200);
  expect((await gateway.chat({ max_tokens: 10 }, { headers })).status).toBe(429);
  await counted(await count("anthropic-messages", "openai-chat", {}, key));
});

describe("invalid requests, in each vendor's error format", () => {
  const long = { error: { type: "invalid_request_error" } };
  test.each([
    ["anthropic-messages", { messages: "none" }, 400, { type: "error", ...long }],
    ["anthropic-messages", { messages: undefined }, 400, { type: "error", ...long }],
    ["openai-responses", { input: 7 }, 400, { error: { code: "invalid_parameter", param: "input" } }],
    ["openai-responses", { previous_response_id: "resp_none" }, 400, { error: { param: "previous_response_id" } }],
    ["gemini", { contents: undefined }, 400, { error: { code: 400, status: "INVALID_ARGUMENT" } }],
    ["openai-responses", { model: "none" }, 404, { error: { code: "model_not_found" } }],
  ])("%s %j", async (caller, body, status, answer) => {
    const response = await count(caller, "openai-chat", body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(answer);
  });

  test("a key without the scope", async () => {
    const { key } = await gateway.newKey({ scopes: { endpoints: ["chat"] } });
    const response = await count("anthropic-messages", "openai-chat", {}, key);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "permission_error" } });
  });

  test("no key", async () => {
    const response = await count("gemini", "gemini", {}, "nonsense");
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { status: "UNAUTHENTICATED" } });
  });
});
