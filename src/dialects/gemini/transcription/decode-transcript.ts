import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../../json/values.ts";
import { AnswerFault } from "../../exchange.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import { readGeminiError } from "../errors.ts";
import { readGeminiUsage } from "../usage.ts";

/** What one answer, or one chunk of a streamed one, holds. */
export interface TranscriptChunk {
  /** Null if it has no candidate: then it tells of usage alone, or of nothing. */
  readonly text: string | null;
  readonly hasEnded: boolean;
  readonly usage: Transcript["usage"];
}

/** Reads an answer or a chunk of one. Throws an `AnswerFault` if Google refused to write, or broke off. */
export function readChunk(answer: unknown): TranscriptChunk {
  const error = readGeminiError(answer);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(answer)) throw new AnswerFault("The answer is not an object.");
  const candidate = listOrEmpty(answer.candidates).find(isObject);
  const reason = stopOf(answer, candidate);
  if (reason !== null && reason !== "STOP") {
    throw new AnswerFault(`The transcript broke off (${reason.slice(0, 64)}).`);
  }
  return {
    text: candidate === undefined ? null : textOf(candidate),
    hasEnded: reason !== null,
    usage: readGeminiUsage(answer.usageMetadata),
  };
}

/** Reads a whole answer. Throws an `AnswerFault` if it has no text. */
export function decodeTranscript(answer: unknown): Transcript {
  const { text, usage } = readChunk(answer);
  if (text === null) throw new AnswerFault("The answer has no candidate.");
  return { text: text.trim(), language: null, seconds: null, words: [], usage };
}

function stopOf({ promptFeedback }: JsonObject, candidate: JsonObject | undefined): string | null {
  const blocked = isObject(promptFeedback) ? stringOrNull(promptFeedback.blockReason) : null;
  return blocked ?? stringOrNull(candidate?.finishReason);
}

function textOf({ content }: JsonObject): string {
  const parts = isObject(content) ? listOrEmpty(content.parts).filter(isObject) : [];
  return parts.map((part) => (part.thought === true ? "" : (stringOrNull(part.text) ?? ""))).join("");
}
