import type { Citation, Part, TextPart, ToolCallPart, ToolResultContent } from "../../../../conversation/parts.ts";
import type { Message } from "../../../../conversation/request.ts";
import { invalidParameter, missingParameter } from "../../../../errors.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../../json/values.ts";
import {
  optionalList,
  optionalObject,
  optionalString,
  requiredObject,
  requiredString,
} from "../../../fields/read-field.ts";
import { noteUnknown, type Unknown } from "../../../fields/unknown-fields.ts";
import { decodeContent } from "./decode-content.ts";
import { decodeReasoningDetails } from "../reasoning-details.ts";
import {
  isSealed,
  newSealedRoom,
  type SealedRoom,
  signatureIn,
  tooManySealed,
  unsealDetails,
} from "../sealed-details.ts";

/** Reads `messages`. Tool messages that follow each other become one message with all results. */
export function decodeMessages(value: unknown, unknown: Unknown): Message[] {
  const messages: Message[] = [];
  const room = newSealedRoom();
  listOrEmpty(value).forEach((item, index) => {
    const path = `messages[${index}]`;
    if (!isObject(item)) throw invalidParameter(path, "an object");
    const message = decodeMessage(item, path, unknown, room);
    const last = messages.at(-1);
    if (message.role === "tool" && last?.role === "tool") {
      messages[messages.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
    } else messages.push(message);
  });
  return messages;
}

const assistantFields =
  "content refusal audio tool_calls function_call annotations reasoning_details reasoning_content reasoning extra_content";

const fieldsByRole: Readonly<Record<string, string>> = {
  system: "role name content",
  developer: "role name content",
  user: "role name content",
  assistant: `role name ${assistantFields}`,
  tool: "role name content tool_call_id",
  function: "role name content",
};

function decodeMessage(message: JsonObject, path: string, unknown: Unknown, room: SealedRoom): Message {
  const known = fieldsByRole[String(message.role)];
  if (known !== undefined) noteUnknown(message, known, path, unknown);
  const name = optionalString(message.name, `${path}.name`);
  switch (message.role) {
    case "system":
    case "developer":
    case "user":
      return { role: message.role, parts: decodeContent(message.content, `${path}.content`, unknown), name, path };
    case "assistant":
      return { role: "assistant", parts: decodeAssistant(message, path, unknown, room), name, path };
    case "tool":
      return decodeToolMessage(message, requiredString(message.tool_call_id, `${path}.tool_call_id`), path, unknown);
    case "function":
      return decodeToolMessage(message, legacyCallId(requiredString(message.name, `${path}.name`)), path, unknown);
    case undefined:
      throw missingParameter(`${path}.role`);
    default:
      throw invalidParameter(`${path}.role`, "one of system, developer, user, assistant, tool");
  }
}

function decodeToolMessage(message: JsonObject, callId: string, path: string, unknown: Unknown): Message {
  const parts = decodeContent(message.content, `${path}.content`, unknown) as ToolResultContent[];
  return { role: "tool", parts: [{ type: "tool-result", callId, parts, path }], path };
}

/** Calls of the deprecated form have no id; there is at most one a turn, so its name serves. */
function legacyCallId(name: string): string {
  return `call_${name}`;
}

function decodeAssistant(message: JsonObject, path: string, unknown: Unknown, room: SealedRoom): Part[] {
  const parts = decodeTextParts(message, path, unknown);
  if (typeof message.refusal === "string" && message.refusal !== "") {
    parts.push({ type: "refusal", text: message.refusal, path: `${path}.refusal` });
  }
  const audio = optionalObject(message.audio, `${path}.audio`);
  if (audio !== undefined) parts.push({ type: "native", vendor: "openai", value: { audio }, path: `${path}.audio` });
  const calls = optionalList(message.tool_calls, `${path}.tool_calls`) ?? [];
  calls.forEach((call, index) => parts.push(decodeToolCall(call, `${path}.tool_calls[${index}]`)));
  const legacy = optionalObject(message.function_call, `${path}.function_call`);
  if (legacy !== undefined) parts.push(decodeLegacyCall(legacy, `${path}.function_call`));
  return placeReasoning(message, parts, path, room);
}

/** The text, with the fields beside the content that belong to it. */
function decodeTextParts(message: JsonObject, path: string, unknown: Unknown): Part[] {
  const parts = decodeContent(message.content, `${path}.content`, unknown);
  const first = parts.findIndex((part) => part.type === "text");
  const text = parts[first];
  if (text?.type !== "text") return parts;
  const citations = decodeAnnotations(message.annotations);
  const signature = googleSignature(message.extra_content);
  if (citations === undefined && signature === undefined) return parts;
  const annotated: TextPart = { ...text, citations, signature };
  return parts.with(first, annotated);
}

/** `annotations` as citations; undefined if there are none. */
export function decodeAnnotations(value: unknown): readonly Citation[] | undefined {
  const citations: Citation[] = [];
  for (const annotation of listOrEmpty(value)) {
    if (!isObject(annotation)) continue;
    const native = { vendor: "openai", value: annotation } as const;
    const cited = annotation.url_citation;
    if (!isObject(cited)) citations.push({ native });
    else {
      citations.push({
        url: stringOrNull(cited.url) ?? undefined,
        title: stringOrNull(cited.title) ?? undefined,
        start: typeof cited.start_index === "number" ? cited.start_index : undefined,
        end: typeof cited.end_index === "number" ? cited.end_index : undefined,
      });
    }
  }
  return citations.length === 0 ? undefined : citations;
}

function placeReasoning(message: JsonObject, parts: Part[], path: string, room: SealedRoom): Part[] {
  const field = typeof message.reasoning_content === "string" ? "reasoning_content" : "reasoning";
  const text = stringOrNull(message[field]) ?? "";
  const given = listOrEmpty(message.reasoning_details);
  const from = given.length > 0 ? "reasoning_details" : field;
  const sealed = given.length > 0 ? given : sealedDetails(message, text, path, room);
  const details = decodeReasoningDetails(sealed, `${path}.${from}`);
  for (const { part, index } of details) parts.splice(index ?? 0, 0, part);
  if (details.length > 0) return parts;
  return text === "" ? parts : [{ type: "reasoning", text, path: `${path}.${field}` }, ...parts];
}

/** The part of a message's reasoning that a tool call carries, for callers that do not send `reasoning_details` back. */
function sealedDetails(
  { tool_calls: calls }: JsonObject,
  reasoning: string,
  path: string,
  room: SealedRoom,
): JsonObject[] {
  for (const [index, call] of listOrEmpty(calls).entries()) {
    const signature = isObject(call) ? signatureIn(call.extra_content) : null;
    if (signature === null || !isSealed(signature)) continue;
    const details = unsealDetails(signature, reasoning, room);
    if (details !== null) return details;
    throw invalidParameter(`${path}.tool_calls[${index}].extra_content.google.thought_signature`, tooManySealed);
  }
  return [];
}

function decodeToolCall(value: unknown, path: string): ToolCallPart {
  const call = requiredObject(value, path);
  const custom = call.type === "custom";
  const named = requiredObject(custom ? call.custom : call.function, `${path}.${custom ? "custom" : "function"}`);
  const inputName = custom ? "input" : "arguments";
  return {
    type: "tool-call",
    kind: custom ? "custom" : "function",
    id: requiredString(call.id, `${path}.id`),
    name: requiredString(named.name, `${path}.${custom ? "custom" : "function"}.name`),
    input: optionalString(named[inputName], `${path}.${custom ? "custom" : "function"}.${inputName}`) ?? "",
    signature: googleSignature(call.extra_content),
    path,
  };
}

function decodeLegacyCall(call: JsonObject, path: string): ToolCallPart {
  const name = requiredString(call.name, `${path}.name`);
  const input = optionalString(call.arguments, `${path}.arguments`) ?? "";
  return { type: "tool-call", kind: "function", id: legacyCallId(name), name, input, path };
}

/** Gemini's signature, where Google's own compatibility layer puts it. */
export function googleSignature(extra: unknown): { readonly vendor: "google"; readonly value: string } | undefined {
  const value = signatureIn(extra);
  return value === null || isSealed(value) ? undefined : { vendor: "google", value };
}
