import {
  reasoningEfforts,
  type ConversationRequest,
  type ReasoningSettings,
  type ResponseFormat,
} from "../../../conversation/request.ts";
import type { VendorFieldName } from "../../../conversation/fields/fields.ts";
import { invalidParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import {
  optionalAnswerCount,
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalString,
  optionalTokenLimit,
  requiredString,
} from "../../fields/read-field.ts";
import { readField } from "./decode-part.ts";
import { decodeSchema } from "./decode-schema.ts";
import { openFields, type Field, type FieldReader } from "../fields.ts";

type Settings = Pick<
  ConversationRequest,
  | "responseFormat"
  | "reasoning"
  | "maxOutputTokens"
  | "temperature"
  | "topP"
  | "topK"
  | "presencePenalty"
  | "frequencyPenalty"
  | "seed"
  | "stop"
  | "candidateCount"
  | "logprobs"
  | "topLogprobs"
  | "modalities"
>;

export interface DecodedGenerationConfig {
  readonly settings: Settings;
  /** Fields that only Google has. */
  readonly vendorFields: readonly (readonly [VendorFieldName, unknown])[];
}

/** Reads `generationConfig`. Fields it does not know are Google's own. */
export function decodeGenerationConfig(field: Field): DecodedGenerationConfig {
  const config = readField(field, optionalObject) ?? {};
  const fields = openFields(config, field.path);
  const vendorFields = decodeVendorFields(fields);
  const { format, kept } = decodeFormat(fields);
  const settings: Settings = {
    responseFormat: format,
    reasoning: decodeThinking(fields.get("thinkingConfig")),
    maxOutputTokens: readField(fields.get("maxOutputTokens"), optionalTokenLimit),
    temperature: readField(fields.get("temperature"), optionalNumber),
    topP: readField(fields.get("topP"), optionalNumber),
    topK: readField(fields.get("topK"), optionalNumber),
    presencePenalty: readField(fields.get("presencePenalty"), optionalNumber),
    frequencyPenalty: readField(fields.get("frequencyPenalty"), optionalNumber),
    seed: readField(fields.get("seed"), optionalInteger),
    stop: decodeStrings(fields.get("stopSequences")),
    candidateCount: readField(fields.get("candidateCount"), optionalAnswerCount),
    logprobs: readField(fields.get("responseLogprobs"), optionalBoolean),
    topLogprobs: readField(fields.get("logprobs"), optionalInteger),
    modalities: decodeStrings(fields.get("responseModalities"))?.map((word) => word.toLowerCase()),
  };
  const unread = fields.unread().map((path) => path.slice(field.path.length + 1));
  const options = { ...kept, ...Object.fromEntries(unread.map((name) => [name, config[name]])) };
  return {
    settings,
    vendorFields:
      Object.keys(options).length === 0 ? vendorFields : [...vendorFields, ["google.generationOptions", options]],
  };
}

function decodeStrings({ value, path }: Field): readonly string[] | undefined {
  return optionalList(value, path)?.map((item, index) => requiredString(item, `${path}[${index}]`));
}

/** Fields of the configuration with a name of their own in the neutral form. */
export const configVendorFields = [
  ["speechConfig", "google.speechConfig"],
  ["mediaResolution", "google.mediaResolution"],
  ["imageConfig", "google.imageConfig"],
] as const satisfies readonly (readonly [string, VendorFieldName])[];

function decodeVendorFields(fields: FieldReader): (readonly [VendorFieldName, unknown])[] {
  return configVendorFields.flatMap(([name, vendorField]) => {
    const { value } = fields.get(name);
    return value === undefined || value === null ? [] : [[vendorField, value] as const];
  });
}

interface DecodedFormat {
  readonly format: ResponseFormat | undefined;
  /** The fields as they were, if the format is one that only Google has. */
  readonly kept: JsonObject;
}

function decodeFormat(fields: FieldReader): DecodedFormat {
  const mimeType = readField(fields.get("responseMimeType"), optionalString);
  const full = fields.get("responseJsonSchema").value;
  const subset = fields.get("responseSchema").value;
  if (mimeType !== undefined && mimeType !== "application/json" && mimeType !== "text/plain") {
    const kept = { responseMimeType: mimeType, responseJsonSchema: full, responseSchema: subset };
    return { format: undefined, kept: Object.fromEntries(Object.entries(kept).filter(([, v]) => v !== undefined)) };
  }
  const schema = isObject(full) ? full : isObject(subset) ? decodeSchema(subset) : undefined;
  if (schema !== undefined) return { format: { type: "schema", schema }, kept: {} };
  return { format: mimeType === "application/json" ? { type: "json" } : undefined, kept: {} };
}

/** A budget of 0 is no reasoning, -1 as much as the model sees fit. */
function decodeThinking(field: Field): ReasoningSettings | undefined {
  const config = readField(field, optionalObject);
  if (config === undefined) return undefined;
  const fields = openFields(config, field.path);
  const budget = readField(fields.get("thinkingBudget"), optionalInteger);
  const effort = decodeLevel(fields.get("thinkingLevel"));
  const shown = readField(fields.get("includeThoughts"), optionalBoolean) === true;
  const reasoning: ReasoningSettings = {
    enabled: budget === 0 ? false : budget === -1 ? true : undefined,
    effort,
    budgetTokens: budget !== undefined && budget > 0 ? budget : undefined,
    summary: shown ? "auto" : undefined,
  };
  return Object.values(reasoning).every((value) => value === undefined) ? undefined : reasoning;
}

function decodeLevel(field: Field): ReasoningSettings["effort"] {
  const level = readField(field, optionalString)?.toLowerCase();
  if (level === undefined || level === "thinking_level_unspecified") return undefined;
  const effort = reasoningEfforts.find((known) => known === level);
  if (effort === undefined) throw invalidParameter(field.path, "one of MINIMAL, LOW, MEDIUM, HIGH");
  return effort;
}
