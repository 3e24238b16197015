import type { Spelling, VendorFieldName } from "../../../../conversation/fields/fields.ts";
import {
  reasoningEfforts,
  type ConversationRequest,
  type ReasoningSettings,
  type ResponseFormat,
} from "../../../../conversation/request.ts";
import { invalidParameter } from "../../../../errors.ts";
import { fieldNames } from "../../../../json/field-names.ts";
import type { JsonObject } from "../../../../json/values.ts";
import {
  optionalAnswerCount,
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalString,
  optionalWord,
  requiredObject,
  requiredString,
} from "../../../fields/read-field.ts";
import { noteUnknown, type Unknown } from "../../../fields/unknown-fields.ts";
import { checkChatRequest } from "../../check-request.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { chatSpelling, chatVendorFields } from "../spelling.ts";

/** Reads the body of `POST /v1/chat/completions`. Throws a 400 naming the field that cannot be understood. */
export function decodeChatRequest(body: JsonObject): ConversationRequest {
  const { model, stream, maxOutputTokens } = checkChatRequest(body);
  const unknown: Unknown = [];
  noteUnknown(body, knownFields, "", unknown);
  return {
    model,
    stream,
    messages: decodeMessages(body.messages, unknown),
    followsAssistant: true,
    tools: decodeTools(body, unknown),
    toolChoice: decodeToolChoice(body),
    parallelToolCalls: optionalBoolean(body.parallel_tool_calls, "parallel_tool_calls"),
    responseFormat: decodeResponseFormat(body.response_format),
    reasoning: decodeEffort(body.reasoning_effort),
    verbosity: optionalWord(body.verbosity, "verbosity", ["low", "medium", "high"]),
    maxOutputTokens,
    temperature: optionalNumber(body.temperature, "temperature"),
    topP: optionalNumber(body.top_p, "top_p"),
    presencePenalty: optionalNumber(body.presence_penalty, "presence_penalty"),
    frequencyPenalty: optionalNumber(body.frequency_penalty, "frequency_penalty"),
    seed: optionalInteger(body.seed, "seed"),
    stop: decodeStop(body.stop),
    candidateCount: optionalAnswerCount(body.n, "n"),
    logprobs: optionalBoolean(body.logprobs, "logprobs"),
    topLogprobs: optionalInteger(body.top_logprobs, "top_logprobs"),
    modalities: decodeStrings(body.modalities, "modalities"),
    userId: optionalString(body.user, "user"),
    safetyIdentifier: optionalString(body.safety_identifier, "safety_identifier"),
    metadata: decodeMetadata(body.metadata),
    serviceTier: decodeServiceTier(body.service_tier),
    cacheKey: optionalString(body.prompt_cache_key, "prompt_cache_key"),
    vendorFields: decodeVendorFields(body),
    unknownFields: unknown.length === 0 ? undefined : unknown,
    spelling: spellingOf(body),
  };
}

/** Names follow what the caller wrote, if there are several for the same: an older one, and llama.cpp's own. */
function spellingOf(body: JsonObject): Spelling {
  const written = ["max_completion_tokens", "max_tokens", "n_predict"].find((name) => (body[name] ?? null) !== null);
  if (written === undefined || written === chatSpelling.maxOutputTokens) return chatSpelling;
  return { ...chatSpelling, maxOutputTokens: written };
}

function decodeResponseFormat(value: unknown): ResponseFormat | undefined {
  const format = optionalObject(value, "response_format");
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") {
    throw invalidParameter("response_format.type", "one of text, json_object, json_schema");
  }
  const path = "response_format.json_schema";
  const described = requiredObject(format.json_schema, path);
  return {
    type: "schema",
    schema: optionalObject(described.schema, `${path}.schema`) ?? { type: "object" },
    name: optionalString(described.name, `${path}.name`),
    description: optionalString(described.description, `${path}.description`),
    strict: optionalBoolean(described.strict, `${path}.strict`),
  };
}

function decodeEffort(value: unknown): ReasoningSettings | undefined {
  const effort = optionalWord(value, "reasoning_effort", ["none", ...reasoningEfforts]);
  if (effort === undefined) return undefined;
  return effort === "none" ? { enabled: false } : { effort };
}

function decodeStop(value: unknown): readonly string[] | undefined {
  return typeof value === "string" ? [value] : decodeStrings(value, "stop");
}

function decodeStrings(value: unknown, path: string): readonly string[] | undefined {
  return optionalList(value, path)?.map((item, index) => requiredString(item, `${path}[${index}]`));
}

function decodeMetadata(value: unknown): Readonly<Record<string, string>> | undefined {
  const metadata = optionalObject(value, "metadata");
  if (metadata === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(metadata).map(([key, text]) => [key, requiredString(text, `metadata.${key}`)]),
  );
}

const tiers = ["auto", "default", "flex", "scale", "priority", "fast"] as const;

function decodeServiceTier(value: unknown): ConversationRequest["serviceTier"] {
  const tier = optionalWord(value, "service_tier", tiers);
  return tier === "default" ? "standard" : tier;
}

function decodeVendorFields(body: JsonObject): ConversationRequest["vendorFields"] {
  const found: [VendorFieldName, unknown][] = [];
  for (const [wireName, field] of chatVendorFields) {
    const value = body[wireName];
    // `store: false` is what its absence means.
    if (value !== undefined && value !== null && !(wireName === "store" && value === false)) found.push([field, value]);
  }
  const options = optionalObject(body.stream_options, "stream_options");
  if (options?.include_obfuscation === true) found.push(["openai.stream_obfuscation", true]);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const knownFields = [
  "model messages stream stream_options tools functions tool_choice function_call parallel_tool_calls response_format",
  "reasoning_effort verbosity max_completion_tokens max_tokens n_predict temperature top_p n seed presence_penalty stop user",
  "frequency_penalty logprobs top_logprobs modalities safety_identifier metadata service_tier prompt_cache_key",
  ...chatVendorFields.map(([wireName]) => wireName),
].join(" ");

/** For readers that check the names of a chat body without decoding it. */
export const chatFieldNames = fieldNames(knownFields.split(" "));
