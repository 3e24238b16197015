import { parseExactly } from "../json/exact-numbers.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import { createSseFramer } from "../sse/framing.ts";
import { readFields, type SseFields } from "../sse/event.ts";
import { isAboutTokens } from "./redact-value.ts";

/** An event of a stream, or several of one kind whose pieces of text were joined. */
export interface JoinedEvent {
  readonly event: string | null;
  /** Null if its data is no JSON object. */
  readonly value: JsonObject | null;
  readonly data: string;
}

/**
 * Joins the events of a stream that carry one text in pieces: an answer has one for each token, and what is to be taken out of
 * a text may be spread over several of them. All of a text stands in the first event that has a piece of it, also if others say
 * more besides. Of events that then differ in figures alone one is left, with the last figures.
 * Comments are left out, and so is an incomplete event at the end.
 */
export function joinEvents(pieces: readonly Uint8Array[]): JoinedEvent[] {
  const joined: JoinedEvent[] = [];
  const byForm = new Map<string, JoinedEvent>();
  const texts = new Map<string, JoinedText>();
  for (const { event, data } of fieldsOf(pieces)) {
    if (data === null) continue;
    const value = objectOrNull(data);
    const hasPiece = value !== null && moveTexts(value, [], JSON.stringify([event, value["type"]]), texts);
    const form = hasPiece ? JSON.stringify([event, shapeOf(value, "")]) : null;
    const alike = form === null ? undefined : byForm.get(form);
    if (value !== null && alike?.value) {
      setFigures(alike.value, value);
      continue;
    }
    const next = { event, value, data };
    joined.push(next);
    if (form !== null) byForm.set(form, next);
  }
  for (const { place, name, pieces: found } of texts.values()) place[name] = found.join("");
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

type Way = readonly string[];

/** Names under which vendors send a text piece by piece, within one of `pieceParents` or as a `delta` itself. */
const pieceNames: ReadonlySet<string> = new Set([
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
const pieceParents: ReadonlySet<string> = new Set(["delta", "parts", "choices"]);
/** Numbers that tell one text from another. */
const places: ReadonlySet<string> = new Set(["index", "output_index", "content_index", "summary_index"]);
/** Noise that hides the length of a piece. */
const noise = "obfuscation";

/** A text, and where it is put together. */
interface JoinedText {
  readonly place: Members;
  readonly name: string;
  readonly pieces: string[];
}

/** Of a value that was parsed here, and is no one else's. */
type Members = Record<string, unknown>;

function isPiece(way: Way): boolean {
  const name = way.at(-1) ?? "";
  return name === "delta" || (pieceNames.has(name) && way.some((each) => pieceParents.has(each)));
}

/** Moves the pieces of texts in an event to where each text is put together. False if it has none. */
function moveTexts(object: JsonObject, way: Way, context: string, texts: Map<string, JoinedText>): boolean {
  const members: Members = object;
  const key = `${context} ${markOf(object)}`;
  let hasPiece = false;
  for (const [name, member] of Object.entries(object)) {
    const here = [...way, name];
    if (name === noise && typeof member === "string") members[name] = "";
    else if (typeof member === "string" && isPiece(here)) {
      const text = texts.get(`${key} ${name}`) ?? { place: members, name, pieces: [] };
      texts.set(`${key} ${name}`, text);
      text.pieces.push(member);
      members[name] = "";
      hasPiece = true;
    } else if (isObject(member)) hasPiece = moveTexts(member, here, `${key} ${name}`, texts) || hasPiece;
    else if (Array.isArray(member)) {
      for (const each of member)
        if (isObject(each)) hasPiece = moveTexts(each, here, `${key} ${name}`, texts) || hasPiece;
    }
  }
  return hasPiece;
}

/** What tells the texts of an object from others: numbers of places, and facts such as that it is a thought. */
function markOf(object: JsonObject): string {
  const marks = Object.entries(object).filter(([name, member]) => places.has(name) || member === true);
  return JSON.stringify(marks);
}

/** A value without its figures, but with the places of texts. */
function shapeOf(value: unknown, name: string): unknown {
  if (typeof value === "number") return places.has(name) ? value : 0;
  if (Array.isArray(value)) return value.map((each) => shapeOf(each, ""));
  if (!isObject(value)) return value;
  return Object.entries(value).map(([each, member]) => [each, tokenFree(each, member)]);
}

/** What is said of single tokens differs in each event. */
function tokenFree(name: string, member: unknown): unknown {
  return isAboutTokens(name, member) ? name : shapeOf(member, name);
}

/** Of two values of the same shape, gives the first one the figures of the second. */
function setFigures(value: unknown, newer: JsonObject | readonly unknown[]): void {
  if (typeof value !== "object" || value === null) return;
  const members = value as Members; // An object or an array that was parsed here.
  for (const [name, member] of Object.entries(newer)) {
    if (typeof member === "number") members[name] = member;
    else if (isObject(member) || Array.isArray(member)) setFigures(members[name], member);
  }
}
