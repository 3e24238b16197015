import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Google's `:embedContent` and `:batchEmbedContents`, at providers of Gemini and of OpenAI. */

let gateway: TestGateway;
let google: GoogleGenAI;
beforeAll(async () => {
  const root = (url: string) => url.replace(/\/v1$/, "");
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "google", dialects: ["gemini"], baseUrl: root(url) },
      { id: "anthropic", dialects: ["anthropic-messages"], baseUrl: root(url) },
    ],
    models: [
      { id: "by-google", ...served("google") },
      { id: "by-openai", ...served("sandbox") },
      { id: "by-anthropic", ...served("anthropic") },
    ],
  });
  google = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
});
afterAll(() => gateway.stop());

function served(provider: string) {
  return {
    targets: [{ provider, model: "sandbox-embedding" }],
    endpoints: ["embeddings"],
    prices: { input: 2_000_000 },
  };
}

const post = (model: string, action: string, body: object, version = "v1beta") =>
  gateway.fetch(`/${version}/models/${model}:${action}`, { method: "POST", body: JSON.stringify(body) });
const content = (text: string) => ({ parts: [{ text }] });
const text = "The quick brown fox jumps over the lazy dog.";
const sentBody = (): unknown => JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body));

describe.each(["by-google", "by-openai"])("%s", (model) => {
  test("one or several contents in order, with Google's SDK", async () => {
    const one = await google.models.embedContent({ model, contents: text });
    const many = await google.models.embedContent({ model, contents: ["Something else.", text] });
    expect(one.embeddings).toHaveLength(1);
    expect(many.embeddings).toHaveLength(2);
    expect(many.embeddings?.[1]?.values).toEqual(one.embeddings?.[0]?.values ?? []);
    expect(many.embeddings?.[0]?.values).not.toEqual(one.embeddings?.[0]?.values ?? []);
    const short = await google.models.embedContent({ model, contents: text, config: { outputDimensionality: 8 } });
    expect(short.embeddings?.[0]?.values).toHaveLength(8);
  });

  test.each(["v1beta", "v1"])(
    "one content by :embedContent under /%s, in either spelling of its fields",
    async (version) => {
      const camel = await post(model, "embedContent", { content: content(text), outputDimensionality: 4 }, version);
      const snake = await post(model, "embedContent", { content: content(text), output_dimensionality: 4 }, version);
      const vectors = await Promise.all(
        [camel, snake].map(async (each) => (await each.json()) as { embedding: { values: number[] } }),
      );
      expect(vectors[0]?.embedding.values).toHaveLength(4);
      expect(vectors[1]?.embedding).toEqual(vectors[0]?.embedding ?? { values: [] });
    },
  );

  test("is measured, charged and recorded", async () => {
    const response = await post(model, "embedContent", { content: content(text) });
    await response.json();
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    const { prompt_tokens: tokens } = record.usage;
    expect(tokens).toBeGreaterThan(5);
    expect(record).toMatchObject({
      status: "succeeded",
      usage: { completion_tokens: 0 },
      billing: { status: "charged", amount_microusd: 2 * tokens },
      routing: { resolved_model: model },
    });
  });
});

test("a provider of Gemini is sent what was written, with its own name for the model", async () => {
  const own = { taskType: "RETRIEVAL_QUERY", content: content("a") };
  const one = await post("by-google", "embedContent", { model: "models/by-google", title: "t", ...own });
  expect([one.status, one.headers.get("x-service-warnings")]).toEqual([200, null]);
  expect(gateway.sandbox.requests.at(-1)?.path).toBe("/v1beta/models/sandbox-embedding:embedContent");
  expect(sentBody()).toEqual({ model: "models/sandbox-embedding", title: "t", ...own });

  await post("by-google", "batchEmbedContents", { requests: [own, { model: "by-google", ...own }] });
  const request = { model: "models/sandbox-embedding", ...own };
  expect(sentBody()).toEqual({ requests: [request, request] });

  const mixed = [{ content: content("a"), outputDimensionality: 2 }, { content: content("b") }];
  const vectors = (await (await post("by-google", "batchEmbedContents", { requests: mixed })).json()) as {
    embeddings: { values: number[] }[];
  };
  expect(vectors.embeddings.map(({ values }) => values.length)).toEqual([2, 768]);
});

test("a provider of another dialect is asked in it, and what it cannot know is warned of", async () => {
  const requests = ["a", "b"].map((part) => ({
    content: content(part),
    taskType: "CLUSTERING",
    outputDimensionality: 4,
  }));
  const response = await post("by-openai", "batchEmbedContents", { requests });
  expect(response.headers.get("x-service-warnings")).toBe("requests[0].taskType, requests[1].taskType");
  expect(await response.json()).toMatchObject({
    embeddings: [{}, {}],
    usageMetadata: { promptTokenCount: expect.any(Number) },
  });
  expect(sentBody()).toEqual({
    model: "sandbox-embedding",
    input: ["a", "b"],
    dimensions: 4,
    encoding_format: "float",
  });
});

test("they are listed among the methods of a model", async () => {
  const response = await gateway.fetch("/v1beta/models/by-openai");
  expect(await response.json()).toMatchObject({ supportedGenerationMethods: ["embedContent", "batchEmbedContents"] });
});

describe("refused in Google's envelope, with the name of the field", () => {
  const image = { inlineData: { mimeType: "image/png", data: "AAAA" } };
  test.each<[what: string, action: string, body: object, field: string]>([
    ["no content", "embedContent", {}, "content"],
    ["a content of no kind", "embedContent", { content: "a" }, "content"],
    ["no parts", "embedContent", { content: {} }, "content.parts"],
    ["an empty text", "embedContent", { content: content("") }, "content.parts"],
    ["a picture", "embedContent", { content: { parts: [image] } }, "content.parts[0].inlineData"],
    [
      "half a dimension",
      "embedContent",
      { content: content("a"), output_dimensionality: 1.5 },
      "output_dimensionality",
    ],
    ["no dimension", "embedContent", { content: content("a"), outputDimensionality: 0 }, "outputDimensionality"],
    ["no requests", "batchEmbedContents", {}, "requests"],
    ["an empty batch", "batchEmbedContents", { requests: [] }, "requests"],
    [
      "another model",
      "batchEmbedContents",
      { requests: [{ model: "models/x", content: content("a") }] },
      "requests[0].model",
    ],
    [
      "different dimensions",
      "batchEmbedContents",
      { requests: [{ content: content("a"), outputDimensionality: 2 }, { content: content("b") }] },
      "requests[].outputDimensionality",
    ],
  ])("%s: 400", async (_what, action, body, field) => {
    const calls = gateway.sandbox.requests.length;
    const response = await post("by-openai", action, body);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { status: string; details: object[] } };
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(JSON.stringify(error.details)).toContain(`"field":${JSON.stringify(field)}`);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test("a model whose providers cannot embed: 400", async () => {
    const response = await post("by-anthropic", "embedContent", { content: content("a") });
    expect(await response.json()).toMatchObject({
      error: { code: 400, details: [{ reason: "unsupported_endpoint" }, {}] },
    });
  });

  test("a model that does not embed: 400", async () => {
    const response = await post("sandbox-chat", "embedContent", { content: content("a") });
    expect(await response.json()).toMatchObject({ error: { details: [{ reason: "unsupported_endpoint" }, {}] } });
  });
});
