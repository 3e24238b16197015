import { knownEffort, wantedSummary } from "../../../conversation/effort.ts";
import type { FieldName } from "../../../conversation/fields/fields.ts";
import type { ConversationRequest, ReasoningSettings, ResponseFormat } from "../../../conversation/request.ts";
import { callerPath } from "../../../conversation/fields/used-fields.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { EncodedRequest, EncodeTarget } from "../../codec.ts";
import { logprobsWanted, sealsWanted } from "./decode-request.ts";
import { encodeInput } from "./encode-input.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";
import { responsesSupportOf, responsesProfileOf, type ResponsesProfile } from "../quirks.ts";
import { responsesVendorFields } from "../spelling.ts";

/**
 * Writes a reviewed request for a provider that speaks the Responses API. The provider keeps nothing unless the caller
 * asked for it: reasoning is replayed by its seals, not from the provider's store.
 */
export function encodeResponsesRequest(request: ConversationRequest, target: EncodeTarget): EncodedRequest {
  const support = responsesSupportOf(target.model);
  const profile = responsesProfileOf(target.model);
  const ifCarried = <Value>(field: FieldName, value: Value): Value | undefined =>
    support[field].status === "ignored" ? undefined : value;
  const { instructions, input, unmarked } = encodeInput(request, support);
  const warnings = unmarked.map((part) => callerPath(request, "cache", part));
  const effort = knownEffort(request.reasoning, profile.efforts);
  const limit = outputLimit(request.maxOutputTokens);

  const body: JsonObject = {
    model: target.model,
    instructions,
    input,
    stream: request.stream || undefined,
    stream_options: streamOptions(request),
    tools: encodeTools(request),
    tool_choice: encodeToolChoice(request),
    parallel_tool_calls: request.tools === undefined ? undefined : request.parallelToolCalls,
    text: encodeText(request.responseFormat, ifCarried("verbosity", request.verbosity)),
    reasoning: encodeReasoning(request, effort.value, ifCarried("reasoning.summary", wantedSummary(request.reasoning))),
    max_output_tokens: limit.value,
    temperature: ifCarried("temperature", request.temperature),
    top_p: ifCarried("topP", request.topP),
    top_logprobs: request.topLogprobs,
    include: encodeInclude(request, profile),
    store: request.vendorFields?.["openai.store"] ?? false,
    user: request.userId,
    safety_identifier: request.safetyIdentifier,
    metadata: request.metadata,
    service_tier: request.serviceTier === "standard" ? "default" : request.serviceTier,
    prompt_cache_key: request.cacheKey,
    ...encodeVendorFields(request),
  };
  if (effort.changed) warnings.push(callerPath(request, "reasoning.effort"));
  if (limit.changed) warnings.push(callerPath(request, "maxOutputTokens"));
  return { path: "/responses", headers: {}, body, warnings };
}

/** OpenAI's own lower bound. */
const minOutputTokens = 16;

function outputLimit(asked: number | undefined) {
  const changed = asked !== undefined && asked < minOutputTokens;
  return { value: changed ? minOutputTokens : asked, changed };
}

function streamOptions({ stream, vendorFields }: ConversationRequest): JsonObject | undefined {
  if (!stream) return undefined;
  return { include_obfuscation: vendorFields?.["openai.stream_obfuscation"] === true };
}

function encodeText(format: ResponseFormat | undefined, verbosity: string | undefined): JsonObject | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  return { format: encodeFormat(format), verbosity };
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === "json") return { type: "json_object" };
  const { name = "structured_output", schema, description, strict } = format;
  return { type: "json_schema", name, description, schema, strict };
}

function encodeReasoning(
  { vendorFields }: ConversationRequest,
  effort: string | undefined,
  summary: ReasoningSettings["summary"],
): JsonObject | undefined {
  const reasoning = {
    effort,
    summary: summary === "none" ? undefined : summary,
    mode: vendorFields?.["openai.reasoning_mode"],
    context: vendorFields?.["openai.reasoning_context"],
  };
  return Object.values(reasoning).every((value) => value === undefined) ? undefined : reasoning;
}

function encodeInclude(request: ConversationRequest, { seals }: ResponsesProfile): string[] | undefined {
  const asked = request.vendorFields?.["openai.include"];
  const include = Array.isArray(asked) ? asked.filter((wanted) => typeof wanted === "string") : [];
  if (request.logprobs === true || (request.topLogprobs ?? 0) > 0) include.push(logprobsWanted);
  if (seals === "always" || (seals === "where-used" && usesReasoning(request))) include.push(sealsWanted);
  return include.length === 0 ? undefined : include;
}

/** Whether reasoning is asked for, or was, with seals that were handed back. */
export function usesReasoning({ messages, reasoning }: ConversationRequest): boolean {
  if (reasoning !== undefined && reasoning.enabled !== false) return true;
  return messages.some(({ parts }) =>
    parts.some((part) => part.type === "reasoning" && part.signature?.vendor === "openai"),
  );
}

function encodeVendorFields({ vendorFields }: ConversationRequest): JsonObject {
  const fields: [string, unknown][] = [];
  for (const { wireName, field } of responsesVendorFields) {
    const value = vendorFields?.[field];
    if (value !== undefined) fields.push([wireName, value]);
  }
  return Object.fromEntries(fields);
}
