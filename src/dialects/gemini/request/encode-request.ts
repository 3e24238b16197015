import type { FieldName } from "../../../conversation/fields/fields.ts";
import type { ConversationRequest, ResponseFormat } from "../../../conversation/request.ts";
import { callerPath } from "../../../conversation/fields/used-fields.ts";
import { checkToolInputs } from "../../../conversation/tool-calls.ts";
import { unsupportedParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { EncodedRequest, EncodeTarget } from "../../codec.ts";
import { configVendorFields } from "./decode-generation-config.ts";
import { bodyVendorFields } from "./decode-request.ts";
import { encodeContents } from "./encode-contents.ts";
import { encodeSchema } from "./encode-schema.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { encodeToolConfig, encodeTools } from "./encode-tools.ts";
import { modelPath } from "../fields.ts";
import { geminiProfileOf } from "../quirks.ts";

/** Google's own limit. */
const maxStopSequences = 5;

const serviceTiers: readonly string[] = ["standard", "flex", "priority"];

/** Writes a reviewed request for Gemini. Streams are asked for as SSE. */
export function encodeGeminiRequest(request: ConversationRequest, target: EncodeTarget): EncodedRequest {
  checkToolInputs(request);
  const profile = geminiProfileOf(target.model);
  const { contents, systemInstruction } = encodeContents(request, profile);
  const thinking = encodeThinking(request.reasoning, profile.thinking);
  const tier = request.serviceTier;
  const config = withoutUndefined({
    ...sampling(request),
    ...encodeFormat(request.responseFormat),
    thinkingConfig: thinking.config,
    ...configFields(request),
  });
  const body = withoutUndefined({
    systemInstruction,
    contents,
    tools: encodeTools(request),
    toolConfig: encodeToolConfig(request),
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
    serviceTier: tier !== undefined && serviceTiers.includes(tier) ? tier : undefined,
    ...vendorValues(request, bodyVendorFields),
    safetySettings: request.vendorFields?.["google.safetySettings"] ?? request.vendorFields?.["google.safetyOff"],
  });
  const warnings: string[] = [];
  const warn = (field: FieldName) => warnings.push(callerPath(request, field));
  if (thinking.changed !== null) warn(thinking.changed);
  // `auto` is what its absence means.
  if (tier !== undefined && tier !== "auto" && !serviceTiers.includes(tier)) warn("serviceTier");
  const action = request.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return { path: `${modelPath(target.model)}:${action}`, headers: {}, body, warnings };
}

function sampling(request: ConversationRequest): JsonObject {
  return {
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    stopSequences: encodeStop(request),
    candidateCount: request.candidateCount,
    responseLogprobs: request.logprobs,
    logprobs: request.topLogprobs,
    responseModalities: request.modalities?.map((modality) => modality.toUpperCase()),
  };
}

function encodeStop(request: ConversationRequest): readonly string[] | undefined {
  const { stop } = request;
  if (stop === undefined || stop.length === 0) return undefined;
  if (stop.length > maxStopSequences) {
    const path = callerPath(request, "stop");
    throw unsupportedParameter(path, `This provider takes at most ${maxStopSequences} stop sequences in '${path}'.`);
  }
  return stop;
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject {
  if (format === undefined) return {};
  const responseMimeType = "application/json";
  if (format.type === "json") return { responseMimeType };
  const schema = encodeSchema(format.schema);
  const { description = format.description } = schema;
  return {
    responseMimeType,
    responseJsonSchema: description === undefined ? schema : { ...schema, description },
  };
}

function configFields(request: ConversationRequest): JsonObject {
  const options = request.vendorFields?.["google.generationOptions"];
  return { ...vendorValues(request, configVendorFields), ...(isObject(options) ? options : {}) };
}

function vendorValues(
  { vendorFields }: ConversationRequest,
  names: typeof bodyVendorFields | typeof configVendorFields,
): JsonObject {
  return Object.fromEntries(names.map(([name, field]) => [name, vendorFields?.[field]]));
}

function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
