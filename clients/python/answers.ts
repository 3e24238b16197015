import * as fc from "fast-check";
import { anyAnswer } from "../../src/conversation/arbitraries.testkit.ts";
import { eventsOf } from "../../src/conversation/events-of.ts";
import type { ConversationResponse } from "../../src/conversation/response.ts";
import type { AnswerContext } from "../../src/dialects/codec.ts";
import { codecs, type ConversationDialectName } from "../../src/dialects/codecs.testkit.ts";
import { escapeLineBreaks } from "../../src/sse/line-breaks.ts";

/** The functions that the caller declared, so that Responses repeat them. */
const tools = [
  { type: "function", name: "bare" },
  { type: "function", name: "full", description: "All.", parameters: { type: "object" }, strict: true },
];

const context: AnswerContext = {
  callerBody: { model: "m", stream_options: { include_usage: true }, tools },
  model: "m",
  fallbackId: "01jabc",
  created: 1_700_000_000,
  estimatedInputTokens: 7,
};

/** Repeats a run: the seed is in the message of a failure. */
export const seed = Number(process.env.CLIENTS_SEED ?? Date.now());

/** Answers of any content. */
export function someAnswers(count: number): ConversationResponse[] {
  return fc.sample(anyAnswer, { numRuns: count, seed });
}

/** The body of the gateway's answer to a caller of this dialect. */
export function wholeBody(dialect: ConversationDialectName, answer: ConversationResponse): string {
  return JSON.stringify(codecs[dialect].caller.encodeResponse(answer, context));
}

/** The same as a stream of server-sent events. */
export function streamBody(dialect: ConversationDialectName, answer: ConversationResponse): string {
  const encoder = codecs[dialect].caller.openStreamEncoder(context);
  const events = eventsOf(answer).map((event) => encoder.push(event));
  // As every translated stream leaves the gateway: many clients take these for ends of lines.
  return escapeLineBreaks(events.join("") + encoder.terminator());
}

/** The data of a stream's events. Each has one line of it. */
export function eventData(stream: string): string[] {
  const lines = stream.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => line.slice("data: ".length)).filter((text) => text !== "[DONE]");
}
