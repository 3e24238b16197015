import { isDeepStrictEqual } from "node:util";
import type { Part, ToolCallPart, ToolResultContent, ToolResultPart } from "../../../conversation/parts.ts";
import { invalidParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import {
  optionalList,
  optionalObject,
  optionalString,
  requiredObject,
  requiredString,
} from "../../fields/read-field.ts";
import { decodeFileData, decodeInlineData, readField, type RequestNotes } from "../request/decode-part.ts";
import { openFields, type Field } from "../fields.ts";
import { readSignature } from "../signature.ts";

/** Ids are optional at Google: gives calls without one an id, and finds the call that a result without one answers. */
export interface CallMatcher {
  idOfCall(id: string | undefined, name: string): string;
  /** Undefined if no call of this name waits for an answer. */
  idOfResponse(id: string | undefined, name: string): string | undefined;
  /** Whether this call has been given the same response before. */
  isRepeated(id: string, response: JsonObject): boolean;
}

export function createCallMatcher(): CallMatcher {
  const calls = new Map<string, CallsOfName>();
  /** The last response of each call that has one. */
  const responses = new Map<string, JsonObject>();
  let count = 0;
  return {
    idOfCall(id, name) {
      count += 1;
      const given = id ?? `call_${count}`;
      responses.delete(given);
      const ofName = calls.get(name);
      if (ofName === undefined) calls.set(name, { ids: [given], next: 0 });
      else ofName.ids.push(given);
      return given;
    },
    idOfResponse(id, name) {
      if (id !== undefined) return id;
      const ofName = calls.get(name);
      if (ofName === undefined) return undefined;
      while (responses.has(ofName.ids[ofName.next] ?? "")) ofName.next += 1;
      return ofName.ids[ofName.next];
    },
    isRepeated(id, response) {
      const given = responses.get(id);
      responses.set(id, response);
      return given !== undefined && isDeepStrictEqual(given, response);
    },
  };
}

interface CallsOfName {
  /** Oldest first. */
  readonly ids: string[];
  /** All calls before this one have a response. */
  next: number;
}

export function decodeFunctionCall(
  item: JsonObject,
  field: Field,
  path: string,
  matcher: CallMatcher,
  notes: RequestNotes,
): ToolCallPart {
  const part = openFields(item, path);
  part.get("functionCall");
  part.get("thought");
  const read = readSignature(part.get("thoughtSignature").value);
  const call = openFields(requiredObject(field.value, field.path), field.path);
  const name = readField(call.get("name"), requiredString);
  const id = matcher.idOfCall(idOf(call.get("id")), name);
  const args = readField(call.get("args"), optionalObject) ?? {};
  notes.unknown.push(...part.unread(), ...call.unread());
  return {
    type: "tool-call",
    kind: "function",
    id,
    name,
    input: JSON.stringify(args),
    signature: read?.signature,
    path,
  };
}

function idOf(field: Field): string | undefined {
  const id = readField(field, optionalString);
  return id === "" ? undefined : id;
}

/** Null for a repeated response: Gemini CLI repeats them in a resumed session, and no other vendor takes that. */
export function decodeFunctionResponse(
  field: Field,
  path: string,
  matcher: CallMatcher,
  notes: RequestNotes,
): ToolResultPart | null {
  const value = requiredObject(field.value, field.path);
  const response = openFields(value, field.path);
  const nameField = response.get("name");
  const name = readField(nameField, requiredString);
  const callId = matcher.idOfResponse(idOf(response.get("id")), name);
  if (callId === undefined) throw invalidParameter(nameField.path, "the name of a function that was called before");
  if (matcher.isRepeated(callId, value)) return null;
  const answer = response.get("response");
  const parts: ToolResultContent[] = [...resultText(readField(answer, optionalObject), answer.path)];
  const media = response.get("parts");
  readField(media, optionalList)?.forEach((item, index) => {
    parts.push(decodeResultMedia(item, `${media.path}[${index}]`, notes));
  });
  notes.unknown.push(...response.unread());
  return { type: "tool-result", callId, name, parts, path };
}

/** One text under `output` or `result` is that text, anything else its JSON. */
function resultText(response: JsonObject | undefined, path: string): ToolResultContent[] {
  if (response === undefined) return [];
  const [first, ...others] = Object.entries(response);
  const plain = others.length === 0 && (first?.[0] === "output" || first?.[0] === "result") ? first[1] : undefined;
  const text = typeof plain === "string" ? plain : JSON.stringify(response);
  return text === "" ? [] : [{ type: "text", text, path }];
}

function decodeResultMedia(item: unknown, path: string, notes: RequestNotes): ToolResultContent {
  if (!isObject(item)) throw invalidParameter(path, "an object");
  const fields = openFields(item, path);
  const data = fields.get("inlineData");
  const file = fields.get("fileData");
  if (data.value === undefined && file.value === undefined) throw invalidParameter(path, "inlineData or fileData");
  const part = data.value === undefined ? decodeFileData(file, notes) : decodeInlineData(data, notes);
  notes.unknown.push(...fields.unread());
  return { ...part, path } as Part as ToolResultContent;
}
