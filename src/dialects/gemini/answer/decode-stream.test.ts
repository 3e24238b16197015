import { describe, expect, test } from "bun:test";
import { bare } from "../../../conversation/arbitraries.testkit.ts";
import { openCollector } from "../../../conversation/collect.ts";
import { validateStream } from "../../../conversation/validate-stream.testkit.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeData } from "../../stream-bytes.testkit.ts";
import { openGeminiStreamDecoder } from "./decode-stream.ts";

const chunk = (parts: unknown[], more: object = {}, top: object = {}) =>
  JSON.stringify({
    candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
    modelVersion: "gemini-3-pro-preview",
    responseId: "r1",
    ...top,
  });
const stop = { finishReason: "STOP" };

function collected(...data: string[]) {
  const events = decodeData(openGeminiStreamDecoder(), data);
  validateStream(events);
  const collector = openCollector();
  for (const event of events) collector.push(event);
  return bare(collector.response()) as {
    candidates: { parts: unknown[]; finish: unknown }[];
    usage: { quantities: object; output: string } | null;
  };
}

test("text in chunks is one part, and a signature in a later chunk belongs to it", () => {
  const { candidates } = collected(
    chunk([{ text: "There are " }]),
    chunk([{ text: "three." }]),
    chunk([{ text: "", thoughtSignature: "s" }], stop),
  );
  expect(candidates).toEqual([
    {
      parts: [{ type: "text", text: "There are three.", signature: { vendor: "google", value: "s" } }],
      finish: { reason: "stop" },
    },
  ]);
});

test("usage is cumulative: the last counts, and an early chunk without counts adds nothing", () => {
  const usage = (usageMetadata: object) => ({ usageMetadata });
  const { usage: read } = collected(
    chunk([{ text: "a" }], {}, usage({ trafficType: "ON_DEMAND" })),
    chunk([{ text: "b" }], {}, usage({ promptTokenCount: 9, candidatesTokenCount: 10, totalTokenCount: 19 })),
    chunk([{ text: "c" }], stop, usage({ promptTokenCount: 9, candidatesTokenCount: 29, totalTokenCount: 38 })),
  );
  expect(read).toMatchObject({ quantities: { input: 9, output: 29 }, output: "final" });
});

test("a function call and STOP in different chunks are a tool call", () => {
  const { candidates } = collected(
    chunk([{ functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "s" }]),
    chunk([{ text: "" }], stop),
  );
  expect(candidates).toMatchObject([{ parts: [{ name: "f", input: '{"a":1}' }], finish: { reason: "tool-calls" } }]);
});

test("STOP in every chunk, as older models send it, does not end the answer early", () => {
  const { candidates } = collected(
    chunk([{ text: "a" }], stop),
    chunk([{ text: "b" }], { finishReason: "MAX_TOKENS" }),
  );
  expect(candidates).toMatchObject([{ parts: [{ text: "ab" }], finish: { reason: "length" } }]);
});

test("a null or unspecified finish reason is none", () => {
  const { candidates } = collected(
    chunk([{ text: "a" }], { finishReason: null }),
    chunk([{ text: "b" }], { finishReason: "FINISH_REASON_UNSPECIFIED" }),
    chunk([], stop),
  );
  expect(candidates).toMatchObject([{ parts: [{ text: "ab" }], finish: { reason: "stop" } }]);
});

test("arguments sent value by value are assembled", () => {
  const call = (value: object) => chunk([{ functionCall: value }]);
  const { candidates } = collected(
    call({ id: "c1", name: "f", willContinue: true }),
    call({ partialArgs: [{ jsonPath: "$.city", stringValue: "San ", willContinue: true }], willContinue: true }),
    call({ partialArgs: [{ jsonPath: "$.city", stringValue: "José" }], willContinue: true }),
    call({}),
    chunk([{ functionCall: { id: "c2", name: "g" } }], stop),
  );
  expect(candidates).toMatchObject([
    {
      parts: [
        { id: "c1", name: "f", input: '{"city":"San José"}' },
        { id: "c2", name: "g", input: "{}" },
      ],
    },
  ]);
});

test("candidates interleave", () => {
  const at = (index: number, text: string, more: object = {}) =>
    JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, index, ...more }] });
  const { candidates } = collected(at(0, "a"), at(1, "x"), at(0, "b", stop), at(1, "y", stop));
  expect(candidates).toMatchObject([{ parts: [{ text: "ab" }] }, { parts: [{ text: "xy" }] }]);
});

test("repeated grounding is reported once", () => {
  const groundingMetadata = { groundingChunks: [{ web: { uri: "https://a.example/" } }] };
  const { candidates } = collected(
    chunk([{ text: "a" }], { groundingMetadata }),
    chunk([{ text: "b" }], { groundingMetadata, ...stop }),
  );
  expect(candidates).toMatchObject([{ parts: [{ citations: [{ url: "https://a.example/" }] }] }]);
});

describe("faults", () => {
  const decodeAll = (...data: string[]) => decodeData(openGeminiStreamDecoder(), data);

  test("an end before the finish reason", () => {
    expect(() => decodeAll(chunk([{ text: "a" }]))).toThrow(AnswerFault);
    expect(() => decodeAll()).toThrow(AnswerFault);
  });

  test("an error within the stream, alone or in a list", () => {
    const error = { error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } };
    for (const data of [error, [error]]) {
      const decoder = openGeminiStreamDecoder();
      decoder.push(chunk([{ text: "a" }]));
      try {
        decoder.push(JSON.stringify(data));
        expect.unreachable();
      } catch (fault) {
        expect(fault).toBeInstanceOf(AnswerFault);
        expect((fault as AnswerFault).providerError).toMatchObject({ type: "UNAVAILABLE", message: "Overloaded." });
      }
    }
  });

  test("an invalid chunk", () => {
    for (const data of ["{", "1", "[]", '{"candidates":[{"index":-1}]}']) {
      expect(() => openGeminiStreamDecoder().push(data)).toThrow(AnswerFault);
    }
  });

  test("a blocked prompt is a whole answer", () => {
    expect(collected(JSON.stringify({ promptFeedback: { blockReason: "SAFETY" } })).candidates).toEqual([
      { parts: [], finish: { reason: "content-filter", category: "SAFETY" } },
    ]);
  });
});
