import type { VendorFieldName } from "../../../conversation/fields/fields.ts";
import {
  reasoningEfforts,
  type ConversationRequest,
  type ReasoningSettings,
  type ResponseFormat,
} from "../../../conversation/request.ts";
import { invalidParameter } from "../../../errors.ts";
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
import { noteUnknown, type Unknown } from "../../fields/unknown-fields.ts";
import { endsWithTrigger, summarySettings } from "../compaction.ts";
import { decodeInput } from "./decode-input.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { responsesSpelling, responsesVendorFields } from "../spelling.ts";

/**
 * Reads the body of `POST /v1/responses`. What the gateway itself answers for is not part of the conversation: `store`,
 * and `previous_response_id`, whose items must be in `input` by now, as must those that references named. Throws a
 * 400 naming the field that cannot be understood.
 */
export function decodeResponsesRequest(body: JsonObject): ConversationRequest {
  refuseOtherCase(body, knownNames);
  const unknown: Unknown = [];
  const text = optionalObject(body.text, "text") ?? {};
  const include = decodeStrings(body.include, "include") ?? [];
  const request = {
    model: requiredString(body.model, "model"),
    stream: optionalBoolean(body.stream, "stream") ?? false,
    messages: decodeInput(body, unknown),
    followsAssistant: true as const,
    tools: decodeTools(body.tools, unknown),
    toolChoice: decodeToolChoice(body.tool_choice),
    parallelToolCalls: optionalBoolean(body.parallel_tool_calls, "parallel_tool_calls"),
    responseFormat: decodeFormat(text.format),
    reasoning: decodeReasoning(body.reasoning),
    verbosity: optionalWord(text.verbosity, "text.verbosity", ["low", "medium", "high"]),
    maxOutputTokens: optionalTokenLimit(body.max_output_tokens, "max_output_tokens"),
    temperature: optionalNumber(body.temperature, "temperature"),
    topP: optionalNumber(body.top_p, "top_p"),
    presencePenalty: optionalNumber(body.presence_penalty, "presence_penalty"),
    frequencyPenalty: optionalNumber(body.frequency_penalty, "frequency_penalty"),
    logprobs: include.includes(logprobsWanted) || undefined,
    topLogprobs: optionalInteger(body.top_logprobs, "top_logprobs"),
    userId: optionalString(body.user, "user"),
    safetyIdentifier: optionalString(body.safety_identifier, "safety_identifier"),
    metadata: decodeMetadata(body.metadata),
    serviceTier: decodeServiceTier(body.service_tier),
    cacheKey: optionalString(body.prompt_cache_key, "prompt_cache_key"),
    vendorFields: decodeVendorFields(body, include),
    spelling: responsesSpelling,
  };
  noteUnknown(body, knownFields, "", unknown);
  const summary = endsWithTrigger(body.input) ? summarySettings(request) : {};
  return { ...request, ...summary, unknownFields: unknown.length === 0 ? undefined : unknown };
}

export const logprobsWanted = "message.output_text.logprobs";
export const sealsWanted = "reasoning.encrypted_content";

function decodeFormat(value: unknown): ResponseFormat | undefined {
  const path = "text.format";
  const format = optionalObject(value, path);
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") throw invalidParameter(`${path}.type`, "one of text, json_object, json_schema");
  return {
    type: "schema",
    schema: requiredObject(format.schema, `${path}.schema`),
    name: optionalString(format.name, `${path}.name`),
    description: optionalString(format.description, `${path}.description`),
    strict: optionalBoolean(format.strict, `${path}.strict`),
  };
}

function decodeReasoning(value: unknown): ReasoningSettings | undefined {
  const reasoning = optionalObject(value, "reasoning");
  if (reasoning === undefined) return undefined;
  const effort = optionalWord(reasoning.effort, "reasoning.effort", ["none", ...reasoningEfforts]);
  const summaries = ["auto", "concise", "detailed"] as const;
  const summary =
    optionalWord(reasoning.summary, "reasoning.summary", summaries) ??
    optionalWord(reasoning.generate_summary, "reasoning.generate_summary", summaries);
  if (effort === undefined && summary === undefined) return undefined;
  return effort === "none" ? { enabled: false, summary } : { effort, summary };
}

function decodeStrings(value: unknown, path: string): readonly string[] | undefined {
  return optionalList(value, path)?.map((item, index) => requiredString(item, `${path}[${index}]`));
}

function decodeMetadata(value: unknown): Readonly<Record<string, string>> | undefined {
  const metadata = Object.entries(optionalObject(value, "metadata") ?? {});
  if (metadata.length === 0) return undefined;
  return Object.fromEntries(metadata.map(([key, text]) => [key, requiredString(text, `metadata.${key}`)]));
}

const tiers = ["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"] as const;

function decodeServiceTier(value: unknown): ConversationRequest["serviceTier"] {
  const tier = optionalWord(value, "service_tier", tiers);
  return tier === "default" ? "standard" : tier;
}

function decodeVendorFields(body: JsonObject, include: readonly string[]): ConversationRequest["vendorFields"] {
  const found: [VendorFieldName, unknown][] = [];
  for (const { wireName, field, absent } of responsesVendorFields) {
    const value = body[wireName];
    if (value !== undefined && value !== null && value !== absent) found.push([field, value]);
  }
  // Log probabilities are a setting of their own, and the seals of reasoning are always handed on.
  const more = include.filter((wanted) => wanted !== logprobsWanted && wanted !== sealsWanted);
  if (more.length > 0) found.push(["openai.include", more]);
  const options = optionalObject(body.stream_options, "stream_options");
  if (options?.include_obfuscation === true) found.push(["openai.stream_obfuscation", true]);
  const reasoning = optionalObject(body.reasoning, "reasoning");
  if ((reasoning?.mode ?? "standard") !== "standard") found.push(["openai.reasoning_mode", reasoning?.mode]);
  if ((reasoning?.context ?? "auto") !== "auto") found.push(["openai.reasoning_context", reasoning?.context]);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const knownFields = [
  "model stream stream_options input instructions tools tool_choice parallel_tool_calls text reasoning user",
  "max_output_tokens temperature top_p presence_penalty frequency_penalty include top_logprobs safety_identifier",
  "metadata service_tier prompt_cache_key store previous_response_id",
  ...responsesVendorFields.map(({ wireName }) => wireName),
].join(" ");
const knownNames = fieldNames(knownFields.split(" "));
