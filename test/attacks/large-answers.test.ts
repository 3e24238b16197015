import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chatAnswer, chatBody } from "./answers.testkit.ts";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Answers of real vendors that are large: each is served, and none holds up other requests. */

const vectors = 100;
const dimensions = 3_072;

const json =
  (body: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(body);

/** A completion whose tokens have 20 alternatives each. */
function logprobs(tokens: number): string {
  const entry = (token: string, position: number) => ({
    token,
    logprob: -0.0123456 * position,
    bytes: [116, 111, 125],
  });
  const content = Array.from({ length: tokens }, (_, index) => ({
    ...entry(`"}]${index}`, 1),
    top_logprobs: Array.from({ length: 20 }, (_none, place) => entry(`t${index * place}`, place)),
  }));
  return chatBody("openai-chat").replace(
    '"finish_reason"',
    () => `"logprobs":${JSON.stringify({ content, refusal: null })},"finish_reason"`,
  );
}

const vector = Array.from({ length: dimensions }, (_, index) => Math.sin(index) / 17);
/** As Google writes it: a line for each number. */
const googleVectors = JSON.stringify(
  { embeddings: Array.from({ length: vectors }, () => ({ values: vector })), usageMetadata: { promptTokenCount: 7 } },
  null,
  2,
);
const openaiVectors = JSON.stringify(
  {
    object: "list",
    data: Array.from({ length: vectors }, (_, index) => ({ object: "embedding", index, embedding: vector })),
    model: "m",
    usage: { prompt_tokens: 7, total_tokens: 7 },
  },
  null,
  2,
);

const texts = Array.from({ length: vectors }, (_, index) => `text ${index}`);
const googleBatch = { requests: texts.map((text) => ({ content: { parts: [{ text }] } })) };
const embedding = { endpoints: ["embeddings"] };
const conversation = { messages: [{ role: "user", content: "Hi" }], logprobs: true, top_logprobs: 20 };
const responses = { input: "Hi", include: ["message.output_text.logprobs"], top_logprobs: 20 };

describe.skipIf(process.platform !== "linux")("large answers", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    gateway = await startWatchedGateway({
      models: {
        good: { dialect: "openai-chat", behave: chatAnswer("openai-chat") },
        "tokens-1500": { dialect: "openai-chat", behave: json(logprobs(1_500)) },
        "tokens-8000": { dialect: "openai-chat", behave: json(logprobs(8_000)) },
        google: { dialect: "gemini", behave: json(googleVectors), model: embedding },
        openai: { dialect: "openai-chat", behave: json(openaiVectors), model: embedding },
      },
    });
    for (let count = 0; count < 60; count++) await (await gateway.chat({ model: "good" })).text();
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  const cases: Readonly<Record<string, readonly [path: string, body: object, answer: RegExp]>> = {
    "chat: 1,500 tokens with 20 alternatives": [
      "/v1/chat/completions",
      { model: "tokens-1500", ...conversation },
      /"top_logprobs"/,
    ],
    "chat: 8,000 tokens with 20 alternatives": [
      "/v1/chat/completions",
      { model: "tokens-8000", ...conversation },
      /"top_logprobs"/,
    ],
    "chat to Responses: 1,500 tokens with 20 alternatives": [
      "/v1/responses",
      { model: "tokens-1500", ...responses },
      /"top_logprobs"/,
    ],
    "Google to Google: 100 vectors": ["/v1beta/models/google:batchEmbedContents", googleBatch, /"values"/],
    "Google to OpenAI: 100 vectors": ["/v1/embeddings", { model: "google", input: texts }, /"embedding"/],
    "Google to OpenAI: 100 vectors in base64": [
      "/v1/embeddings",
      { model: "google", input: texts, encoding_format: "base64" },
      /"embedding"/,
    ],
    "OpenAI to OpenAI: 100 vectors": ["/v1/embeddings", { model: "openai", input: texts }, /"embedding"/],
    "OpenAI to Google: 100 vectors": ["/v1beta/models/openai:batchEmbedContents", googleBatch, /"values"/],
  };
  test.each(Object.entries(cases))("%s", async (name, [path, body, answer]) => {
    let found = { status: 0, text: "" };
    const { stall, unrecorded } = await gateway.attack(name, async () => {
      const response = await gateway.post(path, JSON.stringify(body));
      found = { status: response.status, text: await response.text() };
    });
    expect({ status: found.status, text: found.text.slice(0, 300) }).toMatchObject({ status: 200 });
    expect(found.text).toMatch(answer);
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  });
});
