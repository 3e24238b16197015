import type { ReportedUsage } from "../../../conversation/usage.ts";
import type { JsonBounds } from "../../../json/structure.ts";
import { isObject } from "../../../json/values.ts";
import type { TranscriptFormat } from "../../../operations/transcription/transcription.ts";
import { AnswerFault } from "../../exchange.ts";
import { parseBody } from "../../exchanges/through-neutral.ts";
import { readCount, readOpenaiParts, reportOf } from "../../fields/read-count.ts";
import { reportedSeconds } from "../../transcript/transcript.ts";
import { plainText, type TranscriptAnswer } from "../../transcript/transcript-answer.ts";
import { readError } from "../errors.ts";

/** Formats whose answer is a text, and how it begins if it is not empty. */
const textFormats: Readonly<Partial<Record<TranscriptFormat, RegExp>>> = {
  text: /^/,
  srt: /^\s*(?:\d+\s*\r?\n[\d:,. ]+-->|$)/,
  vtt: /^\s*WEBVTT/,
};

const utf8 = new TextDecoder("utf-8", { fatal: true });
const page = /^\s*(?:<!doctype|<html|<head|<body|<svg|<\?xml)/i;

/** Reads a whole answer, which the caller is given as it is. Throws an `AnswerFault` if it is none. */
export function readTranscript(body: Uint8Array, format: TranscriptFormat, bounds?: JsonBounds): TranscriptAnswer {
  const parse = () => parseBody(body, JSON.parse, bounds);
  const beginning = textFormats[format];
  if (beginning !== undefined) return readText(body, format, beginning, parse);
  const { text, usage } = readObject(parse());
  return { body, ...factsOf(text, usage) };
}

function readText(
  body: Uint8Array,
  format: TranscriptFormat,
  beginning: RegExp,
  parse: () => unknown,
): TranscriptAnswer {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw new AnswerFault("The transcript is not valid UTF-8.");
  }
  if (/^\s*\{\s*"/.test(text)) {
    const { text: said, usage } = readObject(parse());
    // A server that knows one format only.
    if (format === "text") return { body: `${said}\n`, contentType: plainText, ...factsOf(said, usage) };
  }
  if (page.test(text) || !beginning.test(text)) throw new AnswerFault(`The provider's answer is no ${format}.`);
  return { body, contentType: plainText, ...factsOf(text.trim(), null) };
}

function readObject(read: unknown): { readonly text: string; readonly usage: ReportedUsage | null } {
  const error = readError(read);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(read) || typeof read.text !== "string") throw new AnswerFault("The answer has no text.");
  return {
    text: read.text,
    usage: readTranscriptUsage(read.usage) ?? reportedSeconds(read.duration, durationOf(read)),
  };
}

function durationOf({ duration }: Readonly<Record<string, unknown>>) {
  return { duration };
}

function factsOf(text: string, usage: ReportedUsage | null) {
  const shownUsage = usage !== null && typeof usage.raw.type === "string" ? usage.raw : null;
  return { text, shownUsage, observation: { responseId: null, usage, producedText: () => text } };
}

/** Reads `{"type":"duration","seconds"}` or `{"type":"tokens","input_tokens",...}`. Null if it is neither. */
export function readTranscriptUsage(raw: unknown): ReportedUsage | null {
  if (!isObject(raw)) return null;
  if (raw.type === "duration") return reportedSeconds(raw.seconds, raw);
  const input = readCount(raw.input_tokens);
  const output = readCount(raw.output_tokens);
  if (input === null && output === null) return null;
  return reportOf({
    input: input === null ? null : { input },
    output,
    reasoning: null,
    parts: readOpenaiParts(raw.input_token_details, null),
    raw,
  });
}
