import { expect, test } from "bun:test";
import { openCollector } from "../conversation/collect.ts";
import type { ConversationResponse } from "../conversation/response.ts";
import { eventsOf } from "../conversation/events-of.ts";
import { validateStream } from "../conversation/validate-stream.testkit.ts";
import { messagesCodec } from "./anthropic-messages/codec.ts";
import type { AnswerContext, DialectCodec } from "./codec.ts";
import { AnswerFault } from "./exchange.ts";
import { geminiCodec } from "./gemini/codec.ts";
import { chatCodec } from "./openai-chat/conversation/codec.ts";
import { responsesCodec } from "./openai-responses/codec.ts";
import { recordedAnswers, recordedEvents } from "./recorded.testkit.ts";
import { decodeAll, decodeData, encodeAll } from "./stream-bytes.testkit.ts";
import { sumOf } from "../dimensions.ts";

const codecs: Readonly<Record<string, DialectCodec>> = {
  anthropic: messagesCodec,
  deepseek: chatCodec,
  google: geminiCodec,
  groq: chatCodec,
  mistral: chatCodec,
  openai: chatCodec,
  xai: chatCodec,
};

const context: AnswerContext = {
  callerBody: { stream_options: { include_usage: true } },
  model: "m",
  fallbackId: "1",
  created: 1,
  estimatedInputTokens: 1,
};

for (const [vendor, codec] of Object.entries(codecs)) {
  for (const { file, text } of recordedAnswers(vendor)) {
    if (file.endsWith(".chunks.txt")) {
      test(`${file}: the stream is valid and keeps its text`, () => {
        const payloads = recordedEvents(text);
        const events = decodeData(codec.provider.openStreamDecoder(), withEnd(payloads, codec));
        validateStream(events);
        const collector = openCollector();
        for (const event of events) collector.push(event);
        expect(collectedText(collector.response())).toBe(payloads.map(recordedText).join(""));
        expectKept(collector.response(), text);
      });
    } else if (/error|429/.test(file)) {
      test(`${file}: the answer is a fault`, () => {
        expect(() => codec.provider.decodeResponse(JSON.parse(text))).toThrow(AnswerFault);
      });
    } else if (!file.includes("embedding")) {
      test(`${file}: the answer keeps its text`, () => {
        const answer = codec.provider.decodeResponse(JSON.parse(text));
        expect(collectedText(answer)).toBe(recordedText(text));
        expectKept(answer, text);
      });
    }
  }
}

/** The words of a recorded body or event, found without a decoder. */
function recordedText(json: string): string {
  const {
    choices = [],
    content = [],
    delta = {},
    candidates = [],
  } = JSON.parse(json) as {
    choices?: { message?: { content?: string | null }; delta?: { content?: string | null } }[];
    content?: { text?: string }[];
    delta?: { text?: string };
    candidates?: { content?: { parts?: { text?: string; thought?: boolean }[] } }[];
  };
  const parts = candidates
    .flatMap((candidate) => candidate.content?.parts ?? [])
    .filter((part) => part.thought !== true);
  const said = choices.map((choice) => choice.message?.content ?? choice.delta?.content ?? "");
  return [...said, ...[...content, ...parts].map((block) => block.text ?? ""), delta.text ?? ""].join("");
}

function collectedText(answer: ConversationResponse): string {
  const parts = answer.candidates.flatMap((candidate) => candidate.parts);
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Some recordings leave out the terminator. */
function withEnd(lines: readonly string[], codec: DialectCodec): readonly string[] {
  return codec === chatCodec ? [...lines, "[DONE]"] : lines;
}

/** Checks that the decoded answer is in the recording, and survives every caller's dialect, whole and streamed. */
function expectKept(answer: ConversationResponse, recorded: string): void {
  expect(answer.id === null ? "" : recorded).toContain(answer.id ?? "");
  expect(answer.usage?.input).toBe("final");
  expect(answer.usage?.quantities.output).toBeGreaterThan(0);
  for (const codec of [chatCodec, messagesCodec, responsesCodec, geminiCodec]) {
    const whole: unknown = JSON.parse(JSON.stringify(codec.caller.encodeResponse(answer, context)));
    const again = codec.provider.decodeResponse(whole);
    expect(spoken(again)).toEqual(spoken(answer));

    const bytes = encodeAll(codec.caller.openStreamEncoder(context), eventsOf(answer));
    const events = decodeAll(codec.provider.openStreamDecoder(), bytes, 1_000);
    validateStream(events);
    const collector = openCollector();
    for (const event of events) collector.push(event);
    expect(spoken(collector.response())).toEqual(spoken(answer));
    expect(collector.response().usage?.quantities).toEqual(again.usage?.quantities);
  }
}

/** The content of an answer, however it was split. */
function spoken(answer: ConversationResponse): unknown {
  const parts = answer.candidates.flatMap((candidate) => candidate.parts);
  const join = (type: "text" | "reasoning") =>
    parts.map((part) => (part.type === type && "text" in part ? part.text : "")).join("");
  return {
    text: join("text"),
    reasoning: join("reasoning"),
    signatures: parts
      .flatMap((part) => (part.type === "reasoning" && part.signature ? [part.signature.value] : []))
      .filter(isOwn),
    calls: parts.flatMap((part) =>
      part.type === "tool-call" ? [{ name: part.name, input: JSON.parse(part.input) as unknown }] : [],
    ),
    input: answer.usage && sumOf(answer.usage.quantities, "token", "input"),
    output: answer.usage?.quantities.output,
  };
}

/** A sealed signature stands for another vendor's, and belongs to the block beside it. */
function isOwn(signature: string): boolean {
  return !signature.startsWith("tollgate.");
}
