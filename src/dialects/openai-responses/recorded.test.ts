import { describe, expect, test } from "bun:test";
import { bare } from "../../conversation/arbitraries.testkit.ts";
import { openCollector } from "../../conversation/collect.ts";
import { validateStream } from "../../conversation/validate-stream.testkit.ts";
import { isObject, listOrEmpty, type JsonObject } from "../../json/values.ts";
import { AnswerFault } from "../exchange.ts";
import { recordedAnswers, recordedEvents } from "../recorded.testkit.ts";
import { decodeData } from "../stream-bytes.testkit.ts";
import { decodeResponsesResponse } from "./answer/decode-response.ts";
import { openResponsesStreamDecoder } from "./stream/decode-stream.ts";
import { encodeResponsesResponse } from "./answer/encode-response.ts";

describe("recorded answers", () => {
  for (const { file, text } of recordedAnswers("openai-responses")) {
    if (file.endsWith("error.1.json")) {
      test(`${file}: the answer is a fault`, () => {
        expect(() => decodeResponsesResponse(JSON.parse(text))).toThrow(AnswerFault);
      });
    } else if (file.includes("openai-error")) {
      test(`${file}: the stream ends with a fault`, () => {
        expect(() => decodeData(openResponsesStreamDecoder(), recordedEvents(text))).toThrow(
          expect.objectContaining({ providerError: expect.objectContaining({ code: "insufficient_quota" }) }),
        );
      });
    } else if (file.endsWith(".json")) {
      test(`${file}: the answer is written again as it was read`, () => expectKept(JSON.parse(text) as JsonObject));
    } else {
      test(`${file}: the parts are those of the finished items`, () => {
        for (const stream of streamsOf(recordedEvents(text))) expectStream(stream);
      });
    }
  }
});

function expectKept(recorded: JsonObject): void {
  const answer = decodeResponsesResponse(recorded);
  const context = { callerBody: recorded, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };
  const written: unknown = JSON.parse(JSON.stringify(encodeResponsesResponse(answer, context)));
  expect(bare(decodeResponsesResponse(written))).toEqual(bare(answer));
  expect(texts(answer.candidates[0]?.parts)).toEqual(texts(recorded.output));
}

/** A recording may hold several streams, one after another. */
function streamsOf(lines: readonly string[]): string[][] {
  const streams: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('{"type":"response.created"')) streams.push([]);
    streams.at(-1)?.push(line);
  }
  return streams;
}

/** The recorded streams are shortened: their deltas do not say all, their finished items do. */
function expectStream(lines: readonly string[]): void {
  const events = decodeData(openResponsesStreamDecoder(), lines);
  validateStream(events);
  const collector = openCollector();
  for (const event of events) collector.push(event);
  const recorded = lines.map((line) => JSON.parse(line) as JsonObject);
  const items = recorded.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  const parts = collector.response().candidates[0]?.parts ?? [];
  expect(parts.map((part) => part.type)).toEqual(
    decodeResponsesResponse({ output: items }).candidates[0]?.parts.map((part) => part.type) ?? [],
  );
  for (const part of parts)
    if (part.type === "tool-call") expect(JSON.stringify(items)).toContain(JSON.stringify(part.input));
  expect(collector.response().usage?.quantities.output).toBeGreaterThan(0);
}

/** Every text in a tree, in order. */
function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (!isObject(value)) return [];
  const own = typeof value.text === "string" ? [value.text] : [];
  return [...own, ...texts(listOrEmpty(value.content)), ...texts(listOrEmpty(value.summary))];
}
