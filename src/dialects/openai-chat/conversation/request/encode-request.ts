import { knownEffort } from "../../../../conversation/effort.ts";
import type { ConversationRequest, ResponseFormat } from "../../../../conversation/request.ts";
import type { FieldName } from "../../../../conversation/fields/fields.ts";
import { callerPath } from "../../../../conversation/fields/used-fields.ts";
import type { JsonObject } from "../../../../json/values.ts";
import type { EncodedRequest, EncodeTarget } from "../../../codec.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";
import { chatSupportOf, chatProfileOf } from "../quirks.ts";
import { chatVendorFields } from "../spelling.ts";

/** Writes a reviewed request for a provider that speaks chat completions. */
export function encodeChatRequest(request: ConversationRequest, target: EncodeTarget): EncodedRequest {
  const support = chatSupportOf(target.model);
  const profile = chatProfileOf(target.model);
  const ifCarried = <Value>(field: FieldName, value: Value): Value | undefined =>
    support[field].status === "ignored" ? undefined : value;
  const effort = knownEffort(request.reasoning, profile.efforts);

  const body: JsonObject = {
    model: target.model,
    messages: encodeMessages(request, { support, profile }),
    stream: request.stream || undefined,
    // Always asked for: the bill rests on it. The caller sees it only if the caller asked too.
    stream_options: request.stream ? streamOptions(request) : undefined,
    tools: encodeTools(request.tools),
    tool_choice: encodeToolChoice(request),
    parallel_tool_calls: request.tools === undefined ? undefined : request.parallelToolCalls,
    response_format: encodeResponseFormat(request.responseFormat),
    reasoning_effort: effort.value,
    verbosity: ifCarried("verbosity", request.verbosity),
    [profile.maxTokensField]: request.maxOutputTokens,
    temperature: ifCarried("temperature", request.temperature),
    top_p: ifCarried("topP", request.topP),
    presence_penalty: ifCarried("presencePenalty", request.presencePenalty),
    frequency_penalty: ifCarried("frequencyPenalty", request.frequencyPenalty),
    seed: request.seed,
    stop: ifCarried("stop", request.stop),
    n: request.candidateCount,
    logprobs: request.logprobs,
    top_logprobs: request.topLogprobs,
    modalities: request.modalities,
    user: request.userId,
    safety_identifier: ifCarried("safetyIdentifier", request.safetyIdentifier),
    metadata: request.metadata,
    service_tier: request.serviceTier === "standard" ? "default" : request.serviceTier,
    prompt_cache_key: ifCarried("cacheKey", request.cacheKey),
    ...encodeVendorFields(request),
  };
  const warnings = effort.changed ? [callerPath(request, "reasoning.effort")] : [];
  return { path: "/chat/completions", headers: {}, body, warnings };
}

function streamOptions({ vendorFields }: ConversationRequest): JsonObject {
  const obfuscated = vendorFields?.["openai.stream_obfuscation"] === true;
  return { include_usage: true, include_obfuscation: obfuscated || undefined };
}

function encodeResponseFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === "json") return { type: "json_object" };
  const { name = "structured_output", schema, description, strict } = format;
  return { type: "json_schema", json_schema: { name, description, schema, strict } };
}

function encodeVendorFields({ vendorFields }: ConversationRequest): JsonObject {
  if (vendorFields === undefined) return {};
  return Object.fromEntries(
    chatVendorFields.flatMap(([wireName, field]) => (field in vendorFields ? [[wireName, vendorFields[field]]] : [])),
  );
}
