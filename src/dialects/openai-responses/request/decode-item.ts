import type { Part, ToolCallPart, ToolResultContent, ToolResultPart } from "../../../conversation/parts.ts";
import { invalidParameter, missingParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import { optionalString, requiredString } from "../../fields/read-field.ts";
import { noteUnknown, type Unknown } from "../../fields/unknown-fields.ts";
import { openCompaction } from "../compaction.ts";
import { decodeContent } from "./decode-content.ts";
import { decodeImageItem } from "../answer/image-item.ts";
import { flatNameOf } from "./namespaces.ts";
import { decodeReasoningItem } from "../answer/reasoning.ts";
import { readSignatureFields } from "../signatures.ts";

/** The parts of one input item, and the role of its message. */
export type DecodedItem =
  | {
      readonly type: "message";
      readonly role: "user" | "system" | "developer" | "assistant";
      readonly parts: readonly Part[];
      readonly phase: string | undefined;
    }
  /** A piece of the model's turn that is no message: reasoning, a call, a hosted tool's item. */
  | { readonly type: "turn"; readonly part: Part | null }
  | { readonly type: "result"; readonly part: ToolResultPart };

const messageFields = "type id status role content phase";
const callFields = "type id status call_id name namespace arguments input extra_content";
const outputFields = "type id status call_id name namespace output";

/** Reads one item of `input`. References are to be resolved before. */
export function decodeItem(item: JsonObject, path: string, unknown: Unknown): DecodedItem {
  switch (item.type) {
    case "message":
    case undefined:
    case null:
      return decodeMessage(item, path, unknown);
    case "reasoning":
      return { type: "turn", part: decodeReasoningItem(item, path) };
    case "function_call":
    case "custom_tool_call":
      noteUnknown(item, callFields, path, unknown);
      return { type: "turn", part: decodeCall(item, path) };
    case "function_call_output":
    case "custom_tool_call_output":
      noteUnknown(item, outputFields, path, unknown);
      return { type: "result", part: decodeOutput(item, path, unknown) };
    case "image_generation_call": {
      const image = decodeImageItem(item);
      return { type: "turn", part: image === null ? native(item, path) : { ...image, path } };
    }
    case "compaction": {
      const text = openCompaction(item);
      if (text === null) return { type: "turn", part: native(item, path) };
      return { type: "message", role: "user", parts: [{ type: "text", text, path }], phase: undefined };
    }
    case "compaction_trigger":
      throw invalidParameter(path, "a compaction_trigger as the last item only");
    case "item_reference":
      throw invalidParameter(`${path}.id`, "the id of an item that is stored here");
    default:
      if (typeof item.type !== "string") throw invalidParameter(`${path}.type`, "a string");
      return { type: "turn", part: native(item, path) };
  }
}

function native(item: JsonObject, path: string): Part {
  return { type: "native", vendor: "openai", value: item, path };
}

function decodeMessage(item: JsonObject, path: string, unknown: Unknown): DecodedItem {
  const { role } = item;
  if (role === undefined || role === null) throw missingParameter(`${path}.role`);
  if (role !== "user" && role !== "system" && role !== "developer" && role !== "assistant") {
    throw invalidParameter(`${path}.role`, "one of user, system, developer, assistant");
  }
  noteUnknown(item, messageFields, path, unknown);
  const parts = decodeContent(item.content, `${path}.content`, unknown);
  return { type: "message", role, parts, phase: optionalString(item.phase, `${path}.phase`) };
}

function decodeCall(item: JsonObject, path: string): ToolCallPart {
  const custom = item.type === "custom_tool_call";
  const inputName = custom ? "input" : "arguments";
  return {
    type: "tool-call",
    kind: custom ? "custom" : "function",
    id: requiredString(item.call_id, `${path}.call_id`),
    name: flatNameOf(item, requiredString(item.name, `${path}.name`)),
    input: requiredString(item[inputName], `${path}.${inputName}`),
    signature: readSignatureFields(item.extra_content),
    path,
  };
}

function decodeOutput(item: JsonObject, path: string, unknown: Unknown): ToolResultPart {
  return {
    type: "tool-result",
    callId: requiredString(item.call_id, `${path}.call_id`),
    name: typeof item.name === "string" ? flatNameOf(item, item.name) : undefined,
    parts: decodeContent(item.output, `${path}.output`, unknown) as ToolResultContent[],
    path,
  };
}
