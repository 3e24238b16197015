import type { Part, ReasoningPart, TextPart } from "../../../conversation/parts.ts";
import { invalidParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import { optionalBoolean, optionalString, requiredObject, requiredString } from "../../fields/read-field.ts";
import { openFields, type Field, type FieldReader } from "../fields.ts";
import { isYouTube, mediaPart, sourceOfFileUri } from "../media.ts";
import { readSignature, type ReadSignature } from "../signature.ts";

/** Gathered beside the messages while a request is read. */
export interface RequestNotes {
  /** Paths of fields that no other dialect has. */
  readonly unknown: string[];
}

/** Reads a part of a request that is no function call or response. Null for empty text. */
export function decodePart(item: JsonObject, path: string, notes: RequestNotes): Part | null {
  const fields = openFields(item, path);
  const thought = readField(fields.get("thought"), optionalBoolean) ?? false;
  const signature = readSignature(fields.get("thoughtSignature").value);
  const part = decodeContent(item, path, fields, thought, signature, notes);
  // A part of Google's own is carried whole.
  if (part?.type !== "native") notes.unknown.push(...fields.unread());
  return part === null ? null : { ...part, path };
}

function decodeContent(
  item: JsonObject,
  path: string,
  fields: FieldReader,
  thought: boolean,
  signature: ReadSignature | null,
  notes: RequestNotes,
): Part | null {
  const text = readField(fields.get("text"), optionalString);
  if (text !== undefined) return textPart(text, thought, signature);
  // A picture or a sound that belongs to the thoughts must not pass for the answer.
  if (thought && signature === null) return { type: "native", vendor: "google", value: item };
  const data = fields.get("inlineData");
  if (data.value !== undefined) return withSignature(decodeInlineData(data, notes), signature);
  const file = fields.get("fileData");
  if (file.value !== undefined) return decodeFileData(file, notes);
  // A signature may come by itself, as at the end of a stream.
  if (signature !== null && fields.unread().length === 0) return textPart("", thought, signature);
  if (fields.unread().length === 0) throw invalidParameter(path, "a part with content");
  return { type: "native", vendor: "google", value: item };
}

/** Text or a thought; null if it is empty and bears no signature. */
export function textPart(text: string, thought: boolean, read: ReadSignature | null): TextPart | ReasoningPart | null {
  if (text === "" && read === null) return null;
  if (!thought) return { type: "text", text, signature: read?.signature };
  // Google marks nothing as hidden: it sends a signature without text.
  const redacted = read?.redacted ?? ((text === "" && read?.signature.vendor === "google") || undefined);
  return { type: "reasoning", text, signature: read?.signature, redacted, id: read?.id };
}

function withSignature(part: Part, read: ReadSignature | null): Part {
  return read === null || part.type !== "image" ? part : { ...part, signature: read.signature };
}

export function decodeInlineData(field: Field, notes: RequestNotes): Part {
  const blob = openFields(requiredObject(field.value, field.path), field.path);
  const mediaType = readField(blob.get("mimeType"), requiredString).toLowerCase();
  const base64 = readField(blob.get("data"), requiredString);
  const title = readField(blob.get("displayName"), optionalString);
  notes.unknown.push(...blob.unread());
  return mediaPart({ type: "data", mediaType, base64 }, mediaType, title);
}

export function decodeFileData(field: Field, notes: RequestNotes): Part {
  const file = openFields(requiredObject(field.value, field.path), field.path);
  const uri = readField(file.get("fileUri"), requiredString);
  const mediaType = readField(file.get("mimeType"), optionalString)?.toLowerCase();
  const title = readField(file.get("displayName"), optionalString);
  notes.unknown.push(...file.unread());
  const source = sourceOfFileUri(uri, mediaType);
  return mediaPart(source, mediaType ?? (isYouTube(uri) ? "video/*" : undefined), title);
}

/** Reads a field with one of the functions of `read-field.ts`. */
export function readField<Value>(field: Field, read: (value: unknown, path: string) => Value): Value {
  return read(field.value, field.path);
}
