import type { Part, ToolResultPart } from "../../../conversation/parts.ts";
import type { Message } from "../../../conversation/request.ts";
import { invalidParameter, missingParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { optionalList, optionalString, requiredObject } from "../../fields/read-field.ts";
import {
  createCallMatcher,
  decodeFunctionCall,
  decodeFunctionResponse,
  type CallMatcher,
} from "../answer/decode-calls.ts";
import { decodePart, readField, type RequestNotes } from "./decode-part.ts";
import { itemsOf, openFields, writtenName, type Field } from "../fields.ts";
import { joinModelParts } from "../answer/join-parts.ts";

/** Reads `contents`. Client libraries send a streamed answer back chunk by chunk: the chunks become one message. */
export function decodeContents(field: Field, notes: RequestNotes): Message[] {
  const list = optionalList(itemsOf(field.value), field.path);
  if (list === undefined) throw missingParameter(field.path);
  if (list.length === 0) throw invalidParameter(field.path, "at least one content");
  const matcher = createCallMatcher();
  const messages: Message[] = [];
  list.forEach((item, index) => {
    const path = `${field.path}[${index}]`;
    if (!isObject(item)) throw invalidParameter(path, "an object");
    for (const message of decodeContent(item, path, matcher, notes)) pushMessage(messages, message);
  });
  return messages.map((message) =>
    message.role === "assistant" ? { ...message, parts: joinModelParts(message.parts) } : message,
  );
}

/** Adds a message, or joins it to the one before if both are the model's, or both results of one turn. */
function pushMessage(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  const joins = message.role === last?.role && (message.role === "assistant" || message.role === "tool");
  if (joins && last !== undefined) {
    messages[messages.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
  } else messages.push(message);
}

/** Results come before other content of the user. */
function decodeContent(item: JsonObject, path: string, matcher: CallMatcher, notes: RequestNotes): Message[] {
  const fields = openFields(item, path);
  const role = decodeRole(fields.get("role"));
  const results: ToolResultPart[] = [];
  const parts: Part[] = [];
  let repeats = false;
  for (const [value, partPath] of partsOf(fields.get("parts"))) {
    const response = fieldAt(value, "functionResponse", partPath);
    const call = fieldAt(value, "functionCall", partPath);
    if (response !== null) {
      const result = decodeFunctionResponse(response, partPath, matcher, notes);
      if (result === null) repeats = true;
      else results.push(result);
    } else if (call !== null) parts.push(decodeFunctionCall(value, call, partPath, matcher, notes));
    else {
      const part = decodePart(value, partPath, notes);
      if (part !== null) parts.push(part);
    }
  }
  notes.unknown.push(...fields.unread());
  const messages: Message[] = results.length === 0 ? [] : [{ role: "tool", parts: results, path }];
  if (parts.length > 0 || (results.length === 0 && !repeats)) messages.push({ role, parts, path });
  return messages;
}

function fieldAt(part: JsonObject, name: string, path: string): Field | null {
  const written = writtenName(part, name);
  return part[written] === undefined ? null : { value: part[written], path: `${path}.${written}` };
}

function decodeRole(field: Field): "user" | "assistant" {
  switch (readField(field, optionalString)) {
    case "model":
      return "assistant";
    // Older clients give function responses a role of their own.
    case undefined:
    case "":
    case "user":
    case "function":
    case "tool":
      return "user";
    default:
      throw invalidParameter(field.path, "user or model");
  }
}

function partsOf(field: Field): [value: JsonObject, path: string][] {
  const list = optionalList(itemsOf(field.value), field.path) ?? [];
  return list.map((item, index) => {
    const path = `${field.path}[${index}]`;
    return [requiredObject(item, path), path];
  });
}

/** Reads `systemInstruction` as the first message; none if it is absent or empty. */
export function decodeSystemInstruction(field: Field, notes: RequestNotes): Message[] {
  const { value, path } = field;
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [{ role: "system", parts: [{ type: "text", text: value, path }], path }];
  const fields = openFields(requiredObject(value, path), path);
  fields.get("role");
  const parts = partsOf(fields.get("parts")).flatMap(([item, partPath]) => {
    const part = decodePart(item, partPath, notes);
    return part === null ? [] : [part];
  });
  notes.unknown.push(...fields.unread());
  return parts.length === 0 ? [] : [{ role: "system", parts, path }];
}
