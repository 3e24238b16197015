import { parseExactly } from "../json/exact-numbers.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import { createSseFramer } from "../sse/framing.ts";
import { readFields, type SseFields } from "../sse/event.ts";

/** An event of a stream, or several of one kind whose pieces of text were joined. */
export interface JoinedEvent {
  readonly event: string | null;
  /** Null if its data is no JSON object. */
  value: JsonObject | null;
  readonly data: string;
}

/**
 * Joins the events of a stream that carry one text in pieces: an answer has one for each token, and what is to be taken out of
 * a text may be spread over several of them. Events are alike if they differ only in their pieces, and in figures.
 * Comments are left out, and so is an incomplete event at the end.
 */
export function joinEvents(pieces: readonly Uint8Array[]): JoinedEvent[] {
  const joined: JoinedEvent[] = [];
  const byForm = new Map<string, JoinedEvent>();
  for (const { event, data } of fieldsOf(pieces)) {
    if (data === null) continue;
    const value = objectOrNull(data);
    const form = value && formOf(event, value);
    const alike = form === null ? undefined : byForm.get(form);
    if (value !== null && alike?.value) {
      alike.value = joinValues(alike.value, value, []) as JsonObject; // Of two objects it makes one.
      continue;
    }
    const next = { event, value, data };
    joined.push(next);
    if (form !== null) byForm.set(form, next);
  }
  return joined;
}

const maxEventBytes = 8 << 20;

function* fieldsOf(pieces: readonly Uint8Array[]): Generator<SseFields> {
  const framer = createSseFramer(maxEventBytes);
  for (const piece of pieces) for (const event of framer.push(piece)) yield readFields(event);
  const rest = framer.rest();
  // What was cut off has no end; an answer may end without a blank line.
  const last = rest && readFields(rest);
  if (last && last.data !== null && (last.data === "[DONE]" || objectOrNull(last.data) !== null)) yield last;
}

function objectOrNull(data: string): JsonObject | null {
  if (!data.startsWith("{")) return null;
  try {
    const value = parseExactly(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

type Way = readonly (string | number)[];

/** Names under which vendors send a text piece by piece, within one of `pieceParents` or as a `delta` itself. */
const pieceNames: ReadonlySet<string | number> = new Set([
  "content",
  "text",
  "reasoning",
  "reasoning_content",
  "refusal",
  "thinking",
  "partial_json",
  "arguments",
  "signature",
  "transcript",
]);
const pieceParents: ReadonlySet<string | number> = new Set(["delta", "parts", "choices"]);
/** Numbers that tell one text from another. */
const places: ReadonlySet<string | number> = new Set(["index", "output_index", "content_index", "summary_index"]);
/** Noise that hides the length of a piece. */
const noise = "obfuscation";

function isPiece(way: Way): boolean {
  const name = way.at(-1) ?? "";
  return name === "delta" || (pieceNames.has(name) && way.some((each) => pieceParents.has(each)));
}

/** What all events of one text have alike; null if the event has no piece of a text. */
function formOf(event: string | null, value: JsonObject): string | null {
  let hasPiece = false;
  const describe = (part: unknown, way: Way): unknown => {
    if (typeof part === "string" && isPiece(way)) {
      hasPiece = true;
      return "";
    }
    if (typeof part === "number") return places.has(way.at(-1) ?? "") ? part : 0;
    if (Array.isArray(part)) return part.map((each, at) => describe(each, [...way, at]));
    if (!isObject(part)) return part;
    return Object.entries(part)
      .filter(([name]) => name !== noise)
      .map(([name, each]) => [name, describe(each, [...way, name])]);
  };
  const form = JSON.stringify([event, describe(value, [])]);
  return hasPiece ? form : null;
}

/** Joins two values of the same form: texts in pieces are put together, and of figures the later one counts. */
function joinValues(before: unknown, after: unknown, way: Way): unknown {
  if (typeof before === "string" && typeof after === "string" && isPiece(way)) return before + after;
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.map((each, at) => joinValues(each, after[at], [...way, at]));
  }
  if (!isObject(before) || !isObject(after)) return after;
  const members = Object.entries(before)
    .filter(([name]) => name !== noise)
    .map(([name, each]) => [name, joinValues(each, after[name], [...way, name])]);
  return Object.fromEntries(members) as JsonObject;
}
