import {
  type JsonStructure,
  JsonTooComplex,
  largeJsonBounds,
  measureStructure,
  smallJsonBytes,
} from "../../json/structure.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { nextTurn } from "../../next-turn.ts";
import { AnswerFault } from "../exchange.ts";

/** A JSON answer whose long strings are parts of its bytes, and not copies: ten images in base64 are 50 MB. */
export interface CutAnswer {
  /** The value of the rest. In place of each long string it has a mark. */
  readonly value: unknown;
  /** The characters of a string of the value, which are ASCII in base64 and addresses; null if it is none. */
  bytesOf(value: unknown): Uint8Array | null;
  /** An object of the value with the texts that its marks stand for. */
  restored(value: JsonObject): JsonObject;
}

const utf8 = new TextDecoder();

/** What no provider can know to write. */
const mark = `cut ${crypto.randomUUID()} `;

/** Reads a JSON answer, of any size, without its long strings. Throws an `AnswerFault` if it is none, or too complex. */
export async function readCutAnswer(body: Uint8Array): Promise<CutAnswer> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const strings: Uint8Array[] = [];
  const longStrings = longStringsOf(bytes);
  if (longStrings.length > 0) await nextTurn();
  let rest = "";
  let copied = 0;
  for (const [start, end] of longStrings) {
    // One that is escaped is left as it is: base64 and addresses need no escapes.
    if (bytes.subarray(start, end).includes("\\")) continue;
    rest += bytes.toString("utf8", copied, start) + mark + String(strings.push(bytes.subarray(start, end)) - 1);
    copied = end;
  }
  const value = parse(rest + bytes.toString("utf8", copied));
  const marked = (found: string) => (found.startsWith(mark) ? strings[Number(found.slice(mark.length))] : undefined);
  const restoredMembers = (found: JsonObject): JsonObject => {
    return Object.fromEntries(Object.entries(found).map(([name, member]) => [name, restoredValue(member)]));
  };
  const restoredValue = (found: unknown): unknown => {
    if (typeof found === "string") return utf8.decode(marked(found)) || found;
    if (Array.isArray(found)) return found.map(restoredValue);
    return isObject(found) ? restoredMembers(found) : found;
  };
  return {
    value,
    bytesOf: (found) => (typeof found === "string" ? (marked(found) ?? Buffer.from(found, "utf8")) : null),
    restored: strings.length === 0 ? (found) => found : restoredMembers,
  };
}

/** Throws an `AnswerFault` if the rest would block other requests while it is parsed. */
function longStringsOf(bytes: Buffer): JsonStructure["longStrings"] {
  if (bytes.length <= smallJsonBytes) return [];
  try {
    return measureStructure(bytes, largeJsonBounds).longStrings;
  } catch (error) {
    if (!(error instanceof JsonTooComplex)) throw error;
    throw new AnswerFault(`The answer is too complex: ${error.message}.`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AnswerFault(text === "" ? "The answer is empty." : "The answer is not valid JSON.");
  }
}
