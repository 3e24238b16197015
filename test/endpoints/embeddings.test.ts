import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Embeddings with OpenAI's path and SDK, at OpenAI-compatible providers and at Gemini. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "google", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, "") },
      { id: "anthropic", dialects: ["anthropic-messages"], baseUrl: url.replace(/\/v1$/, "") },
    ],
    models: [
      { id: "openai-embedding", ...embedding("sandbox", "sandbox-embedding") },
      { id: "google-embedding", ...embedding("google", "sandbox-embedding") },
      { id: "no-usage", ...embedding("sandbox", "sandbox-usage-none") },
      { id: "nowhere", ...embedding("anthropic", "claude") },
      { id: "broken", ...embedding("sandbox", "sandbox-status-500") },
    ],
  });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

function embedding(provider: string, model: string) {
  return { targets: [{ provider, model }], endpoints: ["embeddings"], prices: { input: 2_000_000 } };
}

function post(body: object) {
  return gateway.fetch("/v1/embeddings", { method: "POST", body: JSON.stringify(body) });
}

const text = "The quick brown fox jumps over the lazy dog.";
const sentBody = (): unknown => JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body));

describe.each(["openai-embedding", "google-embedding"])("%s", (model) => {
  test("one or several inputs in order, with the SDK, which requests base64", async () => {
    const one = await client.embeddings.create({ model, input: text });
    const many = await client.embeddings.create({ model, input: ["Something else.", text] });
    expect(one.data).toHaveLength(1);
    expect(many.data.map(({ index }) => index)).toEqual([0, 1]);
    expect(many.data[1]?.embedding).toEqual(one.data[0]?.embedding ?? []);
    expect(many.data[0]?.embedding).not.toEqual(one.data[0]?.embedding ?? []);
    expect(Math.hypot(...(one.data[0]?.embedding ?? []))).toBeCloseTo(1, 5);
  });

  test("floats equal base64 in 32-bit precision", async () => {
    const encoded = await client.embeddings.create({ model, input: text, dimensions: 8 });
    const plain = await client.embeddings.create({ model, input: text, dimensions: 8, encoding_format: "float" });
    const [vector, floats] = [encoded.data[0]?.embedding ?? [], plain.data[0]?.embedding ?? []];
    expect(vector).toHaveLength(8);
    expect(floats.map(Math.fround)).toEqual(vector);

    const answer = (await (await post({ model, input: text, encoding_format: "base64" })).json()) as {
      data: { embedding: unknown }[];
    };
    expect(answer.data[0]?.embedding).toBeString();
  });

  test("are measured, charged and recorded", async () => {
    const response = await post({ model, input: text });
    const answer = (await response.json()) as { usage: { prompt_tokens: number; total_tokens: number } };
    const { prompt_tokens: tokens } = answer.usage;
    expect(tokens).toBeGreaterThan(5);
    expect(answer.usage.total_tokens).toBe(tokens);
    expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({
      endpoint: "/v1/embeddings",
      status: "succeeded",
      stream: false,
      usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
      billing: { status: "charged", amount_microusd: 2 * tokens },
      routing: { resolved_model: model, attempts: 1 },
    });
  });
});

test("an OpenAI-compatible provider gets the body unchanged except for the model", async () => {
  const body = `{"input": "a",  "model":"openai-embedding", "user": "u", "encoding_format":"float"}`;
  await (await gateway.fetch("/v1/embeddings", { method: "POST", body })).json();
  const sent = new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);
  expect(sent).toBe(body.replace("openai-embedding", "sandbox-embedding"));
});

test("tokens instead of text, for one or several inputs", async () => {
  const one = await client.embeddings.create({ model: "openai-embedding", input: [1, 2, 3] });
  expect(one.data).toHaveLength(1);
  expect(one.usage.prompt_tokens).toBe(3);
  const two = await client.embeddings.create({ model: "openai-embedding", input: [[1, 2], [3]] });
  expect(two.data).toHaveLength(2);
  expect(two.usage.prompt_tokens).toBe(3);
});

test("at Gemini each input is one request of a batch, and unsupported fields are warned about", async () => {
  const response = await post({ model: "google-embedding", input: ["a", "b"], dimensions: 4, user: "u" });
  expect(response.headers.get("x-service-warnings")).toBe("user");
  expect(await response.json()).toMatchObject({ object: "list", model: "google-embedding", data: [{}, {}] });
  expect(gateway.sandbox.requests.at(-1)?.path).toBe("/v1beta/models/sandbox-embedding:batchEmbedContents");
  expect(sentBody()).toEqual({
    requests: ["a", "b"].map((part) => ({
      model: "models/sandbox-embedding",
      content: { parts: [{ text: part }] },
      outputDimensionality: 4,
    })),
  });
});

test("usage that a provider does not report is estimated and marked", async () => {
  for (const model of ["google-embedding", "no-usage"]) {
    const response = await post({ model, input: [text, text] });
    await response.json();
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record.usage.measurement?.input).toBe("local_estimate");
    expect(record.usage.prompt_tokens).toBeGreaterThan(15);
    expect(record.usage.prompt_tokens).toBeLessThan(25);
  }
});

test("they count against a key's tokens per minute", async () => {
  const { key } = await gateway.newKey({ limits: { tokensPerMinute: 30 } });
  const headers = { authorization: `Bearer ${key}` };
  const send = () =>
    gateway.fetch("/v1/embeddings", {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "openai-embedding", input: Array.from({ length: 20 }, () => 1) }),
    });
  expect((await send()).status).toBe(200);
  expect((await send()).status).toBe(429);
});

describe("rejected with the name of the field", () => {
  const tooMany = Array.from({ length: 2_049 }, () => "a");
  const tooLong = Array.from({ length: 8_193 }, () => 1);
  const tooMuch = Array.from({ length: 40 }, () => tooLong.slice(1));
  test.each<[what: string, body: object, param: string]>([
    ["no input", {}, "input"],
    ["an input of no kind", { input: { text } }, "input"],
    ["an empty text", { input: "" }, "input"],
    ["an empty list", { input: [] }, "input"],
    ["an empty text among others", { input: ["a", ""] }, "input[1]"],
    ["an empty list among others", { input: [[1], []] }, "input[1]"],
    ["an input that is neither text nor tokens", { input: ["a", true] }, "input[1]"],
    ["half a token", { input: [1, 2.5] }, "input[1]"],
    ["a negative token", { input: [[1], [2, -1]] }, "input[1][1]"],
    ["too many inputs", { input: tooMany }, "input"],
    ["too many tokens in one", { input: tooLong }, "input"],
    ["too many tokens in one of several", { input: [[1], tooLong] }, "input[1]"],
    ["too many tokens in all", { input: tooMuch }, "input"],
    ["no dimensions", { input: "a", dimensions: 0 }, "dimensions"],
    ["half a dimension", { input: "a", dimensions: 1.5 }, "dimensions"],
    ["an unknown encoding", { input: "a", encoding_format: "int8" }, "encoding_format"],
    ["a user that is no text", { input: "a", user: 7 }, "user"],
    ["a model that is no text", { input: "a", model: 7 }, "model"],
    ["tokens at Gemini", { input: [1, 2], model: "google-embedding" }, "input"],
    ["too many inputs at Gemini", { input: tooMany.slice(0, 101), model: "google-embedding" }, "input"],
    ["a provider that cannot", { input: "a", model: "nowhere" }, "model"],
    ["a model that cannot", { input: "a", model: "sandbox-chat" }, "model"],
  ])("%s", async (_, body, param) => {
    const before = gateway.sandbox.requests.length;
    const response = await post({ model: "openai-embedding", ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
    expect(gateway.sandbox.requests.length).toBe(before);
    expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({ status: "refused" });
  });

  test("a chat request to an embedding model is rejected", async () => {
    const response = await gateway.chat({ model: "openai-embedding" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "unsupported_endpoint" } });
  });
});

test("a failing provider is free of charge", async () => {
  const response = await post({ model: "broken", input: text });
  expect(response.status).toBe(502);
  await response.json();
  expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({
    status: "failed",
    billing: { amount_microusd: 0, status: "refunded" },
  });
});
