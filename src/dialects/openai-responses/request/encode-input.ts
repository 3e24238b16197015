import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../conversation/request.ts";
import type { SupportColumn } from "../../../conversation/fields/support.ts";
import { toolCallsById } from "../../../conversation/tool-calls.ts";
import type { JsonObject } from "../../../json/values.ts";
import { fitToolId, type ToolIdRule } from "../../fields/tool-ids.ts";
import { encodeAnnotations } from "../answer/annotations.ts";
import { encodeContent } from "./encode-content.ts";
import { encodeReasoningItem, reasoningIdOf } from "../answer/reasoning.ts";

export const responsesToolIds: ToolIdRule = { pattern: /^[\x21-\x7e]+$/, maxLength: 64, prefix: "call_" };

export interface EncodedInput {
  readonly instructions: string | undefined;
  readonly input: readonly JsonObject[];
  /** Parts whose cache breakpoint stays behind: the dialect has no place for one there. */
  readonly unmarked: readonly Part[];
}

/** Writes the conversation: system text it begins with as `instructions`, all else as items, in place. */
export function encodeInput(request: ConversationRequest, support: SupportColumn): EncodedInput {
  const [first, ...rest] = request.messages;
  const instructions = first === undefined || rest.length === 0 ? undefined : plainInstructions(first);
  const messages = instructions === undefined ? request.messages : rest;
  const calls = toolCallsById(request);
  const input = messages.flatMap((message) => encodeMessage(message, support, calls));
  const unmarked = support.cache.status === "carried" ? messages.flatMap(unmarkableParts) : [];
  return { instructions, input, unmarked };
}

function plainInstructions({ role, parts }: Message): string | undefined {
  const [part] = parts;
  const plain = role === "system" && parts.length === 1 && part?.type === "text" && part.cache === undefined;
  return plain ? part.text : undefined;
}

/** The model's own turns, calls and results take no breakpoint. */
function unmarkableParts({ role, parts }: Message): Part[] {
  return role === "assistant" || role === "tool" ? parts.filter((part) => part.cache !== undefined) : [];
}

type Calls = ReadonlyMap<string, ToolCallPart>;

function encodeMessage(message: Message, support: SupportColumn, calls: Calls): JsonObject[] {
  const { role, parts } = message;
  if (role === "tool") return parts.flatMap((part) => encodeResult(part, support, calls));
  if (role === "assistant") return encodeAssistant(message, support);
  return [{ type: "message", role, content: encodeContent(parts, support) }];
}

/** Adjacent text and refusals share a message; anything between them is a separate item. */
function encodeAssistant({ parts, phase }: Message, support: SupportColumn): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] | null = null;
  for (const part of parts) {
    const encoded = encodeTextContent(part);
    if (encoded === null) {
      content = null;
      items.push(...encodeTurnItem(part, support));
    } else if (content === null) {
      content = [encoded];
      items.push({ type: "message", role: "assistant", content, phase });
    } else content.push(encoded);
  }
  return items;
}

function encodeTextContent(part: Part): JsonObject | null {
  if (part.type === "refusal") return { type: "refusal", refusal: part.text };
  if (part.type !== "text") return null;
  return { type: "output_text", text: part.text, annotations: encodeAnnotations(part.citations) };
}

function encodeTurnItem(part: Part, support: SupportColumn): JsonObject[] {
  switch (part.type) {
    case "tool-call":
      return [encodeCall(part)];
    case "reasoning":
      return isOwn(part, support) ? [encodeReasoningItem(part, reasoningIdOf(part))] : [];
    case "native":
      return part.vendor === "openai" && typeof part.value.type === "string" ? [part.value] : [];
    case "image":
      // Images that the model made are sent again as input: an assistant message cannot hold them.
      return [{ type: "message", role: "user", content: encodeContent([part], support) }];
    default:
      return [];
  }
}

function isOwn({ signature }: ReasoningPart, support: SupportColumn): boolean {
  return signature?.vendor === "openai" && support["reasoning.openai"].status === "carried";
}

function encodeCall({ id, kind, name, input }: ToolCallPart): JsonObject {
  const call_id = fitToolId(id, responsesToolIds);
  if (kind === "custom") return { type: "custom_tool_call", call_id, name, input };
  return { type: "function_call", call_id, name, arguments: input };
}

function encodeResult(part: Part, support: SupportColumn, calls: Calls): JsonObject[] {
  if (part.type !== "tool-result") return [];
  const custom = calls.get(part.callId)?.kind === "custom";
  return [
    {
      type: custom ? "custom_tool_call_output" : "function_call_output",
      call_id: fitToolId(part.callId, responsesToolIds),
      output: encodeOutput(part, support),
    },
  ];
}

function encodeOutput({ parts, isError }: ToolResultPart, support: SupportColumn): string | JsonObject[] {
  const output = encodeContent(parts, support);
  if (isError !== true) return output;
  if (typeof output !== "string") return [{ type: "input_text", text: "Error:" }, ...output];
  return output === "" ? "Error" : `Error: ${output}`;
}
