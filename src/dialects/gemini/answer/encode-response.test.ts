import { expect, test } from "bun:test";
import { bare } from "../../../conversation/arbitraries.testkit.ts";
import type { Part } from "../../../conversation/parts.ts";
import type { Candidate, ConversationResponse } from "../../../conversation/response.ts";
import { encodeGeminiResponse } from "./encode-response.ts";
import { exampleUsage } from "../../../conversation/usage.testkit.ts";

const context = { callerBody: {}, model: "public-name", fallbackId: "f1", created: 1, estimatedInputTokens: 1 };
const response = (parts: readonly Part[], finish: Candidate["finish"] = { reason: "stop" }, more: object = {}) =>
  ({
    id: null,
    model: null,
    created: null,
    candidates: [{ parts, finish }],
    usage: null,
    ...more,
  }) as ConversationResponse;
const encode = (...told: Parameters<typeof response>) => bare(encodeGeminiResponse(response(...told), context));

test("an answer of another vendor's, with its usage in Google's meaning", () => {
  const usage = exampleUsage(
    { input: 60, cache_read: 40, cache_write_5m: 5, cache_write_1h: 2, output: 20 },
    { reasoning: 8 },
  );
  const call: Part = { type: "tool-call", kind: "function", id: "toolu_1", name: "f", input: '{"a":1}' };
  expect(
    encode(
      [{ type: "text", text: "So." }, call],
      { reason: "tool-calls" },
      { id: "msg_1", created: 1_700_000_000, usage },
    ),
  ).toEqual({
    candidates: [
      {
        content: {
          parts: [{ text: "So." }, { functionCall: { id: "toolu_1", name: "f", args: { a: 1 } } }],
          role: "model",
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 107,
      candidatesTokenCount: 12,
      totalTokenCount: 127,
      cachedContentTokenCount: 40,
      thoughtsTokenCount: 8,
    },
    modelVersion: "public-name",
    createTime: "2023-11-14T22:13:20.000Z",
    responseId: "msg_1",
  } as never);
});

test("an answer without an id or parts is accepted by client libraries", () => {
  expect(encode([], { reason: "refusal", explanation: "Not that." })).toEqual({
    candidates: [
      {
        content: { parts: [{ text: "" }], role: "model" },
        finishReason: "SAFETY",
        finishMessage: "Not that.",
        index: 0,
      },
    ],
    modelVersion: "public-name",
    responseId: "f1",
  } as never);
});

test("a call with truncated arguments is left out, and the answer says so", () => {
  const cut: Part = { type: "tool-call", kind: "function", id: "c", name: "remove", input: '{"path":"/' };
  const finishMessage = "The arguments of a call of the function 'remove' were cut short.";
  expect(encode([cut], { reason: "length" })).toMatchObject({
    candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "MAX_TOKENS", finishMessage }],
  });
  expect(encode([cut], { reason: "tool-calls" })).toMatchObject({
    candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage }],
  });
});

test("a call without arguments has empty ones", () => {
  const call: Part = { type: "tool-call", kind: "function", id: "c", name: "f", input: "" };
  expect(encode([call], { reason: "tool-calls" })).toMatchObject({
    candidates: [{ content: { parts: [{ functionCall: { args: {} } }] }, finishReason: "STOP" }],
  });
});

test("a blocked prompt is written as one", () => {
  const promptFeedback = { blockReason: "SAFETY" };
  const native = { vendor: "google", fields: { promptFeedback } };
  expect(encode([], { reason: "content-filter", category: "SAFETY" }, { native })).toEqual({
    modelVersion: "public-name",
    responseId: "f1",
    promptFeedback,
  } as never);
});

test("citations are written as grounding, with offsets in bytes of all the text", () => {
  const cited: Part = {
    type: "text",
    text: "ö😀.",
    citations: [{ url: "https://a.example/", title: "A", start: 1, end: 3 }],
  };
  expect(encode([{ type: "text", text: "ä " }, cited])).toMatchObject({
    candidates: [
      {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: "https://a.example/", title: "A" } }],
          groundingSupports: [{ segment: { startIndex: 5, endIndex: 9, text: "😀" }, groundingChunkIndices: [0] }],
        },
      },
    ],
  });
});

test("a place within a character stands for the whole character", () => {
  const cited: Part = { type: "text", text: "a😀b", citations: [{ url: "https://a.example/", start: 2, end: 4 }] };
  const [half, whole] = [{ start: 0, end: 2 }, cited.citations?.[0] ?? {}];
  expect(encode([{ ...cited, citations: [half, whole] }])).toMatchObject({
    candidates: [
      {
        groundingMetadata: {
          groundingSupports: [
            { segment: { startIndex: 0, endIndex: 5, text: "a😀" } },
            { segment: { startIndex: 1, endIndex: 6, text: "😀b" } },
          ],
        },
      },
    ],
  });
});

test("log probabilities", () => {
  const logprobs = [{ token: "a", logprob: -0.5, bytes: [97], top: [{ token: "b", logprob: -1 }] }];
  const body = encodeGeminiResponse(
    { ...response([]), candidates: [{ parts: [], finish: { reason: "stop" }, logprobs }] },
    context,
  );
  expect(bare(body)).toMatchObject({
    candidates: [
      {
        logprobsResult: {
          chosenCandidates: [{ token: "a", logProbability: -0.5 }],
          topCandidates: [{ candidates: [{ token: "b", logProbability: -1 }] }],
        },
      },
    ],
  });
});
