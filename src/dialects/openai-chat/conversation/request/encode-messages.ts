import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../../conversation/request.ts";
import type { SupportColumn } from "../../../../conversation/fields/support.ts";
import type { JsonObject } from "../../../../json/values.ts";
import { fitToolId, type ToolIdRule } from "../../../fields/tool-ids.ts";
import { encodeAnnotations } from "../answer/annotations.ts";
import { encodeContent } from "./encode-content.ts";
import type { ChatProfile } from "../quirks.ts";

/** OpenAI's older servers and Azure take 40 characters. */
export const chatToolIds: ToolIdRule = { pattern: /^[\x21-\x7e]+$/, maxLength: 40, prefix: "call_" };

export interface ChatEncoding {
  readonly support: SupportColumn;
  readonly profile: ChatProfile;
}

/** Writes the conversation as `messages`. */
export function encodeMessages(request: ConversationRequest, encoding: ChatEncoding): JsonObject[] {
  return request.messages.flatMap((message) => encodeMessage(message, encoding));
}

function encodeMessage(message: Message, encoding: ChatEncoding): JsonObject[] {
  const { role, name, parts } = message;
  if (role === "tool") return encodeToolResults(parts, encoding);
  if (role === "assistant") return encodeAssistant(message, encoding);
  return [{ role, name, content: encodeContent(parts, encoding.support) ?? "" }];
}

/** A turn of which nothing can be carried, such as reasoning alone, is no message. */
function encodeAssistant({ role, name, parts }: Message, { support, profile }: ChatEncoding): JsonObject[] {
  const visible = parts.filter((part) => part.type === "text" || part.type === "refusal");
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  const text = visible.find((part) => part.type === "text");
  const content = encodeContent(visible, support);
  const audio = audioOf(parts);
  if (content === null && calls.length === 0 && audio === undefined) return [];
  return [
    {
      role,
      name,
      content: content ?? (calls.length > 0 ? null : ""),
      reasoning_content: profile.takesReasoning ? reasoningText(parts) : undefined,
      tool_calls: calls.length === 0 ? undefined : calls.map((call) => encodeToolCall(call)),
      annotations: support.citations.status === "carried" ? encodeAnnotations(text?.citations) : undefined,
      audio,
    },
  ];
}

/** Reasoning without a signature, as one text: the only form these servers have. */
function reasoningText(parts: readonly Part[]): string | undefined {
  const reasoning = parts.filter((part): part is ReasoningPart => part.type === "reasoning");
  const text = reasoning.flatMap((part) => (part.signature === undefined ? [part.text] : [])).join("");
  return text === "" ? undefined : text;
}

/** An earlier spoken answer is referred to by its id alone. */
function audioOf(parts: readonly Part[]): unknown {
  for (const part of parts) if (part.type === "native" && part.vendor === "openai") return part.value.audio;
  return undefined;
}

export function encodeToolCall(call: ToolCallPart): JsonObject {
  const id = fitToolId(call.id, chatToolIds);
  if (call.kind === "custom") return { id, type: "custom", custom: { name: call.name, input: call.input } };
  return { id, type: "function", function: { name: call.name, arguments: call.input } };
}

/** One message a result, then one of the user's with all that a tool message cannot hold. */
function encodeToolResults(parts: readonly Part[], { support }: ChatEncoding): JsonObject[] {
  const messages: JsonObject[] = [];
  const beside: JsonObject[] = [];
  for (const part of parts) {
    if (part.type !== "tool-result") continue;
    const callId = fitToolId(part.callId, chatToolIds);
    const media = part.parts.filter((inner) => inner.type !== "text");
    const text = part.parts.filter((inner) => inner.type === "text");
    messages.push({ role: "tool", tool_call_id: callId, content: resultContent(part, text, support) });
    const content = encodeContent(media, support);
    if (content === null) continue;
    beside.push({ type: "text", text: `From the result of tool call ${callId}:` });
    if (typeof content === "string") beside.push({ type: "text", text: content });
    else beside.push(...content);
  }
  if (beside.length > 0) messages.push({ role: "user", content: beside });
  return messages;
}

function resultContent(result: ToolResultPart, text: readonly Part[], support: SupportColumn): string | JsonObject[] {
  const content = encodeContent(text, support);
  if (content === null) {
    if (result.parts.length > 0) return "The result is in the next user message.";
    return result.isError === true ? "Error" : "";
  }
  if (result.isError !== true) return content;
  return typeof content === "string" ? `Error: ${content}` : [{ type: "text", text: "Error:" }, ...content];
}
