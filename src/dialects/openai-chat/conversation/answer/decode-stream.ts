import type { StreamEvent } from "../../../../conversation/stream.ts";
import { laterUsage, type ReportedUsage } from "../../../../conversation/usage.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../../json/values.ts";
import type { StreamDecoder } from "../../../codec.ts";
import { AnswerFault } from "../../../exchange.ts";
import { readError } from "../../errors.ts";
import { readUsage } from "../../usage.ts";
import { ChoiceDecoder } from "./decode-choice.ts";
import { nativeFields } from "./decode-response.ts";

/** Fields of a chunk that are read here, or mean nothing beyond it. */
const ownFields: ReadonlySet<string> = new Set(
  "id object created model choices usage service_tier obfuscation error".split(" "),
);

/** OpenAI's own limit for `n`. */
const maxChoices = 128;

/** Begins to read a stream. */
export function openChatStreamDecoder(): StreamDecoder {
  return new ChatStreamDecoder();
}

/**
 * Reads a stream of chat completion chunks: chunk* `[DONE]`, where the choices of the chunks interleave and each ends
 * with a chunk that has a `finish_reason`. `[DONE]` is a good end even if a choice lacks one; without it, every choice
 * must have one.
 */
class ChatStreamDecoder implements StreamDecoder {
  finished = false;
  readonly #choices = new Map<number, ChoiceDecoder>();
  #hasStarted = false;
  readonly #known: Record<string, unknown> = {};
  #knownTier: string | undefined;
  #usage: ReportedUsage | null = null;

  push(data: string): StreamEvent[] {
    if (this.finished || data === "") return [];
    const events: StreamEvent[] = [];
    if (isDone(data)) return this.#finish(events, true);
    const chunk = parseChunk(data);
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      const created = typeof chunk.created === "number" ? chunk.created : null;
      events.push({ type: "response-start", id: stringOrNull(chunk.id), model: stringOrNull(chunk.model), created });
    }
    this.#pushNative(events, chunk);
    for (const choice of listOrEmpty(chunk.choices)) {
      if (isObject(choice)) this.#choiceAt(typeof choice.index === "number" ? choice.index : 0).push(choice, events);
    }
    const reported = chunk.usage === undefined || chunk.usage === null ? null : readUsage(chunk.usage, this.#knownTier);
    if (reported === null) return events;
    this.#usage = laterUsage(this.#usage, reported) ?? reported;
    events.push({ type: "usage", usage: this.#usage });
    return events;
  }

  end(): StreamEvent[] {
    return this.finished ? [] : this.#finish([], false);
  }

  #choiceAt(index: number): ChoiceDecoder {
    if (!Number.isInteger(index) || index < 0 || index >= maxChoices) {
      throw new AnswerFault("The provider's stream holds a choice whose index is out of range.");
    }
    const begun = this.#choices.get(index);
    if (begun !== undefined) return begun;
    const choice = new ChoiceDecoder(index);
    this.#choices.set(index, choice);
    return choice;
  }

  #finish(events: StreamEvent[], said: boolean): StreamEvent[] {
    const choices = this.#choices;
    if (choices.size === 0 || (!said && choices.values().some((choice) => !choice.finished))) {
      throw new AnswerFault("The provider's stream ended before the answer did.");
    }
    for (const choice of choices.values()) choice.end(events);
    this.finished = true;
    events.push({ type: "response-end" });
    return events;
  }

  /** Facts that every chunk repeats are reported when they change. */
  #pushNative(events: StreamEvent[], chunk: JsonObject): void {
    let news: Record<string, unknown> | null = null;
    for (const field in chunk) {
      if (ownFields.has(field) || chunk[field] === this.#known[field]) continue;
      this.#known[field] = chunk[field];
      news ??= {};
      news[field] = chunk[field];
    }
    const tier = stringOrNull(chunk.service_tier) ?? undefined;
    const native = news === null ? undefined : nativeFields(news);
    if (native === undefined && tier === this.#knownTier) return;
    this.#knownTier = tier ?? this.#knownTier;
    events.push({ type: "native", serviceTier: this.#knownTier, native });
  }
}

/** Whether an event's data is what ends a stream, however a server spaces it. */
export function isDone(data: string): boolean {
  return data.length < 16 && data.trim() === "[DONE]";
}

function parseChunk(data: string): JsonObject {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    throw new AnswerFault("The provider's stream holds a chunk that is not JSON.");
  }
  const error = readError(chunk);
  if (error !== null) throw new AnswerFault("The provider reported an error within its stream.", error);
  if (!isObject(chunk)) throw new AnswerFault("The provider's stream holds a chunk that is not an object.");
  return chunk;
}
