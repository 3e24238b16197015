import { parseShared } from "../../json/parse-shared.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { dataEvent, readFields, type SseEvent } from "../../sse/event.ts";
import { AnswerFault } from "../exchange.ts";
import { checkStructure } from "../exchanges/bounded-json.ts";
import { readError } from "./errors.ts";

/**
 * Reads an event of a stream of sound, of a transcript or of images: the object in it, or that it is a comment, or the last one
 * of servers that end with `[DONE]`. Throws an `AnswerFault` if it reports an error, or is none.
 */
export function readMediaEvent({ bytes }: SseEvent): JsonObject | "comment" | "done" {
  checkStructure(bytes);
  const { event, data } = readFields({ bytes });
  if (data === null) return "comment";
  if (data === "[DONE]") return "done";
  const read = parse(data);
  const error = event === "error" || read.error !== undefined ? readError(read) : null;
  if (error !== null || event === "error") throw new AnswerFault("The provider reported an error.", error);
  return read;
}

function parse(data: string): JsonObject {
  let read: unknown;
  try {
    read = parseShared(data);
  } catch {
    throw new AnswerFault("An event of the provider is not valid JSON.");
  }
  if (!isObject(read)) throw new AnswerFault("An event of the provider is not an object.");
  return read;
}

/** The members of a value that OpenAI's have, and their types. A list has members of one kind. */
export type KnownShape = "string" | "number" | readonly [KnownShape] | { readonly [name: string]: KnownShape };

/**
 * An event with the fields that OpenAI's have, for callers who may not see which provider served them. Null if OpenAI has none of
 * its type.
 * @param shapes by the type of the event
 */
export function knownEvent(event: JsonObject, shapes: Readonly<Record<string, KnownShape>>): Uint8Array | null {
  const { type } = event;
  const shape = typeof type === "string" && Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  return shape === undefined ? null : dataEvent(JSON.stringify(knownOf(event, shape)));
}

function isList(shape: KnownShape): shape is readonly [KnownShape] {
  return Array.isArray(shape);
}

function knownOf(value: unknown, shape: KnownShape): unknown {
  if (typeof shape === "string") return typeof value === shape ? value : undefined;
  if (isList(shape)) {
    return Array.isArray(value)
      ? value.map((item) => knownOf(item, shape[0])).filter((item) => item !== undefined)
      : undefined;
  }
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, knownOf(value[name], member)]));
}
