import type { VendorFieldName } from "../../../conversation/fields/fields.ts";
import type {
  ConversationRequest,
  ReasoningSettings,
  ResponseFormat,
  Tool,
  ToolChoice,
} from "../../../conversation/request.ts";
import { invalidParameter, missingParameter } from "../../../errors.ts";
import { fieldNames, refuseOtherCase } from "../../../json/field-names.ts";
import type { JsonObject } from "../../../json/values.ts";
import {
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalString,
  optionalTokenLimit,
  optionalWord,
  requiredObject,
  requiredString,
} from "../../fields/read-field.ts";
import { decodeCacheControl } from "./decode-blocks.ts";
import { decodeMessages } from "./decode-messages.ts";
import { messagesSpelling, messagesVendorFields } from "../spelling.ts";
import { noteUnknown, type Unknown } from "../../fields/unknown-fields.ts";

const knownFields = [
  "model max_tokens messages system stop_sequences stream thinking tools tool_choice output_config output_format",
  "metadata service_tier temperature top_k top_p",
  ...messagesVendorFields.map(([wireName]) => wireName),
].join(" ");
const knownNames = fieldNames(knownFields.split(" "));

/** Reads the body of `POST /v1/messages`. Throws a 400 naming the field that cannot be understood. */
export function decodeMessagesRequest(body: JsonObject): ConversationRequest {
  refuseOtherCase(body, knownNames);
  const unknown: Unknown = [];
  noteUnknown(body, knownFields, "", unknown);
  const maxTokens = optionalTokenLimit(body.max_tokens, "max_tokens", 0);
  if (maxTokens === undefined) throw missingParameter("max_tokens");
  const metadata = optionalObject(body.metadata, "metadata") ?? {};
  noteUnknown(metadata, "user_id", "metadata", unknown);
  const output = optionalObject(body.output_config, "output_config") ?? {};
  noteUnknown(output, "effort format", "output_config", unknown);
  const choice = optionalObject(body.tool_choice, "tool_choice");
  return {
    model: requiredString(body.model, "model"),
    stream: optionalBoolean(body.stream, "stream") ?? false,
    messages: decodeMessages(body, unknown),
    tools: optionalList(body.tools, "tools")?.map((tool, index) => decodeTool(tool, `tools[${index}]`, unknown)),
    toolChoice: decodeToolChoice(choice),
    parallelToolCalls: decodeParallel(choice),
    responseFormat: decodeFormat(output.format ?? body.output_format),
    reasoning: decodeReasoning(body.thinking, output.effort),
    maxOutputTokens: maxTokens,
    temperature: optionalNumber(body.temperature, "temperature"),
    topP: optionalNumber(body.top_p, "top_p"),
    topK: optionalInteger(body.top_k, "top_k"),
    stop: optionalList(body.stop_sequences, "stop_sequences")?.map((item, index) =>
      requiredString(item, `stop_sequences[${index}]`),
    ),
    userId: optionalString(metadata.user_id, "metadata.user_id"),
    serviceTier: decodeServiceTier(body.service_tier),
    vendorFields: decodeVendorFields(body),
    unknownFields: unknown.length === 0 ? undefined : unknown,
    spelling: messagesSpelling,
  };
}

function decodeTool(value: unknown, path: string, unknown: Unknown): Tool {
  const tool = requiredObject(value, path);
  if (tool.type !== undefined && tool.type !== null && tool.type !== "custom") {
    return { type: "native", vendor: "anthropic", value: tool, path };
  }
  noteUnknown(tool, "type name description input_schema strict cache_control", path, unknown);
  return {
    type: "function",
    name: requiredString(tool.name, `${path}.name`),
    description: optionalString(tool.description, `${path}.description`),
    parameters: requiredObject(tool.input_schema, `${path}.input_schema`),
    strict: optionalBoolean(tool.strict, `${path}.strict`),
    cache: decodeCacheControl(tool.cache_control, `${path}.cache_control`),
    path,
  };
}

function decodeToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  switch (choice?.type) {
    case undefined:
      return undefined;
    case "auto":
    case "none":
      return { type: choice.type };
    case "any":
      return { type: "required" };
    case "tool":
      return { type: "tool", kind: "function", name: requiredString(choice.name, "tool_choice.name") };
    default:
      throw invalidParameter("tool_choice.type", "one of auto, any, tool, none");
  }
}

function decodeParallel(choice: JsonObject | undefined): boolean | undefined {
  const disabled = optionalBoolean(choice?.disable_parallel_tool_use, "tool_choice.disable_parallel_tool_use");
  return disabled === undefined ? undefined : !disabled;
}

function decodeFormat(value: unknown): ResponseFormat | undefined {
  const format = optionalObject(value, "output_config.format");
  if (format === undefined) return undefined;
  if (format.type !== "json_schema") throw invalidParameter("output_config.format.type", "json_schema");
  return { type: "schema", schema: requiredObject(format.schema, "output_config.format.schema") };
}

function decodeReasoning(value: unknown, effortWord: unknown): ReasoningSettings | undefined {
  const thinking = optionalObject(value, "thinking");
  const efforts = ["low", "medium", "high", "xhigh", "max"] as const;
  const effort = optionalWord(effortWord, "output_config.effort", efforts);
  if (thinking === undefined) return effort === undefined ? undefined : { effort };
  const display = optionalWord(thinking.display, "thinking.display", ["summarized", "omitted"]);
  const shown =
    display === undefined
      ? ({ shownByDefault: true } as const)
      : ({ summary: display === "omitted" ? "none" : "auto" } as const);
  switch (thinking.type) {
    case "enabled": {
      const budgetTokens = optionalInteger(thinking.budget_tokens, "thinking.budget_tokens");
      if (budgetTokens === undefined) throw missingParameter("thinking.budget_tokens");
      return { enabled: true, effort, budgetTokens, ...shown };
    }
    case "adaptive":
      return { enabled: true, effort, ...shown };
    case "disabled":
      return { enabled: false, effort };
    case "between_tools":
      return effort === undefined ? undefined : { effort };
    default:
      throw invalidParameter("thinking.type", "one of enabled, adaptive, disabled, between_tools");
  }
}

function decodeServiceTier(value: unknown): ConversationRequest["serviceTier"] {
  const tier = optionalWord(value, "service_tier", ["auto", "standard_only"]);
  return tier === "standard_only" ? "standard" : tier;
}

function decodeVendorFields(body: JsonObject): ConversationRequest["vendorFields"] {
  const found: [VendorFieldName, unknown][] = [];
  for (const [wireName, field] of messagesVendorFields) {
    const value = body[wireName];
    if (value !== undefined && value !== null) found.push([field, value]);
  }
  if (optionalObject(body.thinking, "thinking")?.type === "between_tools") {
    found.push(["anthropic.thinking_between_tools", true]);
  }
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
