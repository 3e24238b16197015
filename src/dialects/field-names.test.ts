import { describe, expect, test } from "bun:test";
import { GatewayError } from "../errors.ts";
import type { JsonObject } from "../json/values.ts";
import { codecs } from "./codecs.testkit.ts";
import { readGeminiEmbeddings } from "./gemini/embeddings/embed-request.ts";
import { readChat } from "./openai-chat/chat.testkit.ts";
import { readEmbeddingsRequest } from "./openai-chat/embeddings.ts";

describe("the readers of all dialects and endpoints refuse a name that differs from a field only in case", () => {
  const messages = [{ role: "user", content: "Hi" }];
  const contents = [{ parts: [{ text: "Hi" }] }];
  test.each([
    ["anthropic-messages", { model: "m", max_tokens: 1, messages, Stream: true }],
    ["openai-responses", { model: "m", input: "Hi", Tools: [] }],
    ["openai-responses", { model: "m", input: "Hi", Previous_Response_Id: "resp_1" }],
    ["gemini", { model: "m", contents, generationconfig: {} }],
    ["gemini", { model: "m", contents, Generation_Config: {} }],
  ] as const)("%s: %j", (dialect, body: JsonObject) => {
    expect(() => codecs[dialect].caller.decodeRequest(body)).toThrow(GatewayError);
    expect(() => codecs[dialect].caller.decodeRequest(body)).toThrow("case-sensitive");
  });

  test.each([{ MODEL: "x" }, { Input: "x" }, { DIMENSIONS: 9 }])("embeddings: %j", (field) => {
    expect(() => readEmbeddingsRequest(JSON.stringify({ model: "m", input: "Hi", ...field }))).toThrow(
      "case-sensitive",
    );
  });

  const content = { parts: [{ text: "Hi" }] };
  test.each([
    [{ content, MODEL: "x" }, false],
    [{ content, Content: {} }, false],
    [{ requests: [{ content }], Requests: [] }, true],
    [{ requests: [{ content, OutputDimensionality: 9 }] }, true],
  ])("Google's embeddings: %j", (body, isBatch) => {
    expect(() => readGeminiEmbeddings(JSON.stringify(body), "m", isBatch)).toThrow("case-sensitive");
  });

  // A chat request is checked before it is decoded, since most are never decoded.
  test.each([{ MODEL: "x" }, { Max_Completion_Tokens: 9 }])("openai-chat: %j", (field) => {
    const read = () => readChat({ model: "m", messages, ...field });
    expect(read).toThrow(GatewayError);
    expect(read).toThrow("case-sensitive");
  });
});
