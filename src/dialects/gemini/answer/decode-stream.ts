import type { StreamEvent } from "../../../conversation/stream.ts";
import { asObserved, laterUsage, type ReportedUsage } from "../../../conversation/usage.ts";
import { parseExactly } from "../../../json/exact-numbers.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";
import type { StreamDecoder } from "../../codec.ts";
import { AnswerFault } from "../../exchange.ts";
import { openCandidateDecoder, type CandidateDecoder } from "./decode-candidate.ts";
import { readGeminiError } from "../errors.ts";
import { readGeminiUsage } from "../usage.ts";

/** More answers to one request than Google gives. */
const maxCandidates = 128;

/** Reads the chunks of an answer, each a GenerateContentResponse; a whole answer is one. */
export interface ChunkDecoder {
  push(chunk: JsonObject, events: StreamEvent[]): void;
  /** Ends the answer. Throws if it is not complete: `whole` answers may leave out their finish reason. */
  end(events: StreamEvent[], whole: boolean): void;
}

export function openChunkDecoder(): ChunkDecoder {
  const candidates = new Map<number, CandidateDecoder>();
  let answerId: string | null = null;
  let blocked: JsonObject | null = null;
  let nativeSeen = "";
  let usage: ReportedUsage | null = null;

  const candidateAt = (index: number): CandidateDecoder => {
    if (!Number.isInteger(index) || index < 0 || index >= maxCandidates) {
      throw new AnswerFault("The provider's answer holds a candidate whose index is out of range.");
    }
    const known = candidates.get(index);
    if (known !== undefined) return known;
    const candidate = openCandidateDecoder(index, answerId ?? "");
    candidates.set(index, candidate);
    return candidate;
  };

  const pushNative = (chunk: JsonObject, events: StreamEvent[]) => {
    const fields = nativeFields(chunk);
    if (fields === null) return;
    const seen = JSON.stringify(fields);
    if (seen === nativeSeen) return;
    nativeSeen = seen;
    events.push({ type: "native", native: { vendor: "google", fields } });
  };

  return {
    push(chunk, events) {
      if (answerId === null) {
        const id = stringOrNull(chunk.responseId);
        // Calls without an id of their own get one from this; an answer that has none is like no other.
        answerId = id ?? crypto.randomUUID();
        const model = stringOrNull(chunk.modelVersion);
        events.push({ type: "response-start", id, model, created: createdOf(chunk.createTime) });
      }
      pushNative(chunk, events);
      for (const candidate of listOrEmpty(chunk.candidates)) {
        if (isObject(candidate)) candidateAt(Number(candidate.index ?? 0)).push(candidate, events);
      }
      const feedback = chunk.promptFeedback;
      if (isObject(feedback) && stringOrNull(feedback.blockReason) !== null) blocked = feedback;
      const reported = readGeminiUsage(chunk.usageMetadata);
      if (reported === null) return;
      // Every chunk counts what there is so far; the last counts all.
      const isFinal =
        blocked !== null || (candidates.size > 0 && candidates.values().every(({ finished }) => finished));
      usage = laterUsage(usage, asObserved(reported, isFinal));
      if (usage !== null) events.push({ type: "usage", usage });
    },
    end(events, whole) {
      if (candidates.size === 0) {
        if (blocked === null) throw new AnswerFault("The provider's answer has no candidates.");
        events.push({ type: "finish", candidate: 0, finish: blockedFinish(blocked) });
      }
      for (const candidate of candidates.values()) {
        if (!whole && !candidate.finished) {
          throw new AnswerFault("The provider's stream ended before the answer did.");
        }
        candidate.end(events);
      }
      if (whole && usage?.output === "so_far") events.push({ type: "usage", usage: { ...usage, output: "final" } });
      events.push({ type: "response-end" });
    },
  };
}

function blockedFinish(feedback: JsonObject): Extract<StreamEvent, { type: "finish" }>["finish"] {
  return {
    reason: "content-filter",
    category: stringOrNull(feedback.blockReason) ?? undefined,
    explanation: stringOrNull(feedback.blockReasonMessage) ?? undefined,
  };
}

const ownFields: ReadonlySet<string> = new Set(
  "candidates usageMetadata modelVersion responseId createTime error".split(" "),
);

function nativeFields(chunk: JsonObject): JsonObject | null {
  const names = Object.keys(chunk).filter((name) => !ownFields.has(name) && chunk[name] !== null);
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, chunk[name]]));
}

function createdOf(createTime: unknown): number | null {
  const milliseconds = typeof createTime === "string" ? Date.parse(createTime) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1_000);
}

/**
 * Reads a stream of `alt=sse`: chunk*, ended by the end of the connection alone. So the last chunk is known to be one
 * only then, and finish reasons are reported there.
 */
export function openGeminiStreamDecoder(): StreamDecoder {
  const decoder = openChunkDecoder();
  let ended = false;
  return {
    push(data) {
      if (ended || data === "" || data === "[DONE]") return [];
      const events: StreamEvent[] = [];
      decoder.push(parseChunk(data), events);
      return events;
    },
    end() {
      if (ended) return [];
      const events: StreamEvent[] = [];
      decoder.end(events, false);
      ended = true;
      return events;
    },
    get finished() {
      return ended;
    },
  };
}

function parseChunk(data: string): JsonObject {
  let chunk: unknown;
  try {
    chunk = parseExactly(data);
  } catch {
    throw new AnswerFault("The provider's stream holds a chunk that is not JSON.");
  }
  const error = readGeminiError(chunk);
  if (error !== null) throw new AnswerFault("The provider reported an error within its stream.", error);
  if (!isObject(chunk)) throw new AnswerFault("The provider's stream holds a chunk that is not an object.");
  return chunk;
}
