import { openCollector } from "../../../conversation/collect.ts";
import type { ConversationResponse } from "../../../conversation/response.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";
import { isObject } from "../../../json/values.ts";
import { AnswerFault } from "../../exchange.ts";
import { openChunkDecoder } from "./decode-stream.ts";
import { readGeminiError } from "../errors.ts";

/**
 * Reads a whole answer, which at Google has the form of a stream's chunk, or a stream's chunks as one array. Throws an
 * `AnswerFault` if it is an error or none.
 */
export function decodeGeminiResponse(body: unknown): ConversationResponse {
  const chunks: readonly unknown[] = Array.isArray(body) ? body : [body];
  const decoder = openChunkDecoder();
  const collector = openCollector();
  const events: StreamEvent[] = [];
  for (const chunk of chunks) {
    const error = readGeminiError(chunk);
    if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
    if (!isObject(chunk)) throw new AnswerFault("The provider's answer is not a GenerateContentResponse.");
    decoder.push(chunk, events);
  }
  decoder.end(events, true);
  for (const event of events) collector.push(event);
  return collector.response();
}
