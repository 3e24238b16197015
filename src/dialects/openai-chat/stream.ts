import { asObserved, laterUsage, type ReportedUsage } from "../../conversation/usage.ts";
import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";
import { readFields, type SseEvent } from "../../sse/event.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../exchange.ts";
import { readError } from "./errors.ts";
import { chatStreamEnds } from "./stream-ends.ts";
import { createProducedText } from "./produced-text.ts";
import { readUsage } from "./usage.ts";

/** What one event of a chat stream is. */
export type ChatEvent = "comment" | "chunk" | "usage" | "done";

/** Reads a chat stream event by event, whoever asked for it. */
export interface ChatStreamReader {
  /** Throws an `AnswerFault` where the event is no chunk or says that the provider failed. */
  read(event: SseEvent): { readonly kind: ChatEvent; readonly chunk: JsonObject | null };
  /** Throws where the provider's stream ended before the answer did. */
  end(): void;
  readonly done: boolean;
  readonly observation: Observation;
}

export function createChatStreamReader(): ChatStreamReader {
  const text = createProducedText();
  const begun = new Set<number>();
  const finished = new Set<number>();
  let responseId: string | null = null;
  let usage: ReportedUsage | null = null;
  let done = false;

  const readChoices = (choices: readonly unknown[]) => {
    for (const choice of choices) {
      if (!isObject(choice)) continue;
      text.add(choice.delta);
      const index = typeof choice.index === "number" ? choice.index : 0;
      begun.add(index);
      // Once finished is finished: some providers send their usage with an empty choice behind it.
      if (choice.finish_reason !== undefined && choice.finish_reason !== null) finished.add(index);
    }
  };

  return {
    read(event) {
      const fields = readFields(event);
      if (fields.data === null) return { kind: "comment", chunk: null };
      if (fields.data.trim() === "[DONE]") {
        done = true;
        return { kind: "done", chunk: null };
      }
      const chunk = parseChunk(fields.data);
      const error = readError(chunk);
      if (error ?? fields.event === "error") {
        throw new AnswerFault("The provider reported an error in its stream.", error);
      }
      responseId ??= stringOrNull(chunk.id);
      if (chunk.usage !== undefined && chunk.usage !== null) usage = laterUsage(usage, readUsage(chunk.usage));
      const choices = chunk.choices;
      if (Array.isArray(choices) && choices.length > 0) {
        readChoices(choices);
        return { kind: "chunk", chunk };
      }
      return { kind: isObject(chunk.usage) ? "usage" : "chunk", chunk };
    },
    end() {
      if (finished.size === 0 || finished.size < begun.size) {
        throw new AnswerFault("The provider's stream ended before the answer was complete.");
      }
    },
    get done() {
      return done;
    },
    observation: {
      get responseId() {
        return responseId;
      },
      get usage() {
        // Some servers count in every chunk; what they say before the end is a count on the way.
        return asObserved(usage, done || (finished.size > 0 && finished.size >= begun.size));
      },
      producedText: () => text.toString(),
    },
  };
}

function parseChunk(data: string): JsonObject {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    throw new AnswerFault("The provider sent an event that is not valid JSON.");
  }
  if (Array.isArray(chunk) && isObject(chunk[0])) return chunk[0];
  if (!isObject(chunk)) throw new AnswerFault("The provider sent an event that is not a JSON object.");
  return chunk;
}

/**
 * Passes a chat stream through: every event goes on byte for byte, except a usage chunk that the caller did not ask for
 * and `[DONE]`, which the gateway sends itself once the record is durable.
 */
export function createPassThroughStream(includeUsage: boolean): AnswerStream {
  const reader = createChatStreamReader();
  let started = false;
  return {
    push(event) {
      const { kind } = reader.read(event);
      if (kind !== "comment") started = true;
      return kind === "done" || (kind === "usage" && !includeUsage) ? null : event.bytes;
    },
    end() {
      reader.end();
      return null;
    },
    get started() {
      return started;
    },
    get finished() {
      return reader.done;
    },
    observation: reader.observation,
    ...chatStreamEnds,
  };
}
