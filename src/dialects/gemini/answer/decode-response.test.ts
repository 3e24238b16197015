import { describe, expect, test } from "bun:test";
import { bare } from "../../../conversation/arbitraries.testkit.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeGeminiResponse } from "./decode-response.ts";

const usageMetadata = { promptTokenCount: 29, candidatesTokenCount: 15, thoughtsTokenCount: 45, totalTokenCount: 89 };
const answer = (parts: unknown, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0, ...more }],
  usageMetadata,
  modelVersion: "gemini-3-pro-preview",
  responseId: "m36LaZGy",
});
const partsOf = (parts: unknown, more: object = {}) =>
  (bare(decodeGeminiResponse(answer(parts, more))) as { candidates: { parts: unknown[] }[] }).candidates[0]?.parts;

test("a function call without an id gets one, the same each time the answer is read", () => {
  const body = answer([{ functionCall: { name: "weather", args: { city: "Ulm" } }, thoughtSignature: "s" }]);
  const decoded = decodeGeminiResponse(body);
  expect(bare(decoded)).toEqual({
    id: "m36LaZGy",
    model: "gemini-3-pro-preview",
    created: null,
    candidates: [
      {
        parts: [
          {
            type: "tool-call",
            kind: "function",
            id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
            name: "weather",
            input: '{"city":"Ulm"}',
            signature: { vendor: "google", value: "s" },
          },
        ],
        finish: { reason: "tool-calls" },
      },
    ],
    usage: {
      quantities: { input: 29, output: 60 },
      input: "final",
      output: "final",
      reasoning: 45,
    },
  } as never);
  expect(decodeGeminiResponse(body)).toEqual(decoded);
});

test("parallel calls have different ids, also in answers that have none, and ids that are given stay", () => {
  const ids = (body: object) =>
    decodeGeminiResponse(body).candidates[0]?.parts.map((part) => (part.type === "tool-call" ? part.id : ""));
  const two = [{ functionCall: { name: "f" } }, { functionCall: { name: "f", id: "" } }];
  expect(new Set(ids(answer(two))).size).toBe(2);
  const nameless = { ...answer(two), responseId: undefined };
  expect(new Set([...(ids(nameless) ?? []), ...(ids(nameless) ?? [])]).size).toBe(4);
  expect(ids(answer([{ functionCall: { name: "f", id: "x" } }]))).toEqual(["x"]);
});

test("thoughts, as text or images, are never part of the text", () => {
  const picture = { inlineData: { mimeType: "image/png", data: "AAAA" }, thought: true };
  expect(partsOf([{ text: "Hm.", thought: true }, picture, { text: "So." }])).toEqual([
    { type: "reasoning", text: "Hm." },
    { type: "native", vendor: "google", value: picture },
    { type: "text", text: "So." },
  ]);
});

test("images, sounds and code of an answer", () => {
  const code = { executableCode: { language: "PYTHON", code: "1" } };
  expect(
    partsOf([
      { inlineData: { mimeType: "image/png", data: "AAAA" }, thoughtSignature: "s" },
      { inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: "AAAA" } },
      code,
    ]),
  ).toEqual([
    {
      type: "image",
      source: { type: "data", mediaType: "image/png", base64: "AAAA" },
      signature: { vendor: "google", value: "s" },
    },
    { type: "audio", source: { type: "data", mediaType: "audio/L16;codec=pcm;rate=24000", base64: "AAAA" } },
    { type: "native", vendor: "google", value: code },
  ]);
});

test("search results are citations, their bytes counted as characters", () => {
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: "https://a.example/", title: "A" } }, { web: { uri: "https://b.example/" } }],
    groundingSupports: [
      { segment: { endIndex: 3 }, groundingChunkIndices: [0] },
      { segment: { startIndex: 3, endIndex: 8 }, groundingChunkIndices: [0, 1] },
    ],
  };
  const citations = (partsOf([{ text: "äh 😀." }], { groundingMetadata }) as { citations: object[] }[])[0]?.citations;
  expect(citations).toMatchObject([
    { url: "https://a.example/", title: "A", start: 0, end: 2 },
    { url: "https://a.example/", start: 2, end: 5 },
    { url: "https://b.example/", start: 2, end: 5 },
  ]);
});

test("log probabilities with their alternatives", () => {
  const logprobsResult = {
    chosenCandidates: [{ token: "a", logProbability: -0.5 }, { token: "b" }],
    topCandidates: [
      {
        candidates: [
          { token: "a", logProbability: -0.5 },
          { token: "c", logProbability: -2 },
        ],
      },
    ],
  };
  expect(decodeGeminiResponse(answer([{ text: "ab" }], { logprobsResult })).candidates[0]?.logprobs).toEqual([
    {
      token: "a",
      logprob: -0.5,
      top: [
        { token: "a", logprob: -0.5 },
        { token: "c", logprob: -2 },
      ],
    },
    { token: "b", logprob: 0 },
  ]);
});

describe("answers without an ordinary end", () => {
  test("a blocked prompt is one candidate without parts, withheld", () => {
    const promptFeedback = { blockReason: "PROHIBITED_CONTENT" };
    const decoded = decodeGeminiResponse({
      promptFeedback,
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
    });
    expect(bare(decoded)).toMatchObject({
      candidates: [{ parts: [], finish: { reason: "content-filter", category: "PROHIBITED_CONTENT" } }],
      usage: { quantities: { output: 0 } },
      native: { vendor: "google", fields: { promptFeedback } },
    });
  });

  test("a withheld candidate may have no content", () => {
    const { candidates } = decodeGeminiResponse({ candidates: [{ finishReason: "SAFETY" }] });
    expect(bare(candidates)).toEqual([{ parts: [], finish: { reason: "content-filter", category: "SAFETY" } }]);
  });

  test("several candidates keep their places", () => {
    const candidate = (index: number, text: string) => ({
      content: { parts: [{ text }] },
      finishReason: "STOP",
      index,
    });
    const { candidates } = decodeGeminiResponse({ candidates: [candidate(1, "b"), candidate(0, "a")] });
    expect(bare(candidates.map(({ parts }) => parts))).toEqual([
      [{ type: "text", text: "a" }],
      [{ type: "text", text: "b" }],
    ]);
  });

  for (const body of [
    null,
    "x",
    {},
    { candidates: [] },
    { candidates: [{ index: 1e9 }] },
    { error: { message: "No." } },
    [{ error: {} }],
  ]) {
    test(`${JSON.stringify(body)} is a fault`, () => expect(() => decodeGeminiResponse(body)).toThrow(AnswerFault));
  }
});
