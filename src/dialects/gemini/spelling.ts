import type { FieldName, Spelling } from "../../conversation/fields/fields.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { writtenName } from "./fields.ts";

/** How generateContent writes fields: whole paths, or what follows the path of a part or a tool. */
export const geminiSpelling: Spelling = {
  "toolChoice.auto": "toolConfig.functionCallingConfig",
  "toolChoice.none": "toolConfig.functionCallingConfig",
  "toolChoice.required": "toolConfig.functionCallingConfig",
  "toolChoice.tool": "toolConfig.functionCallingConfig",
  "toolChoice.allowed": "toolConfig.functionCallingConfig",
  "responseFormat.json": "generationConfig.responseMimeType",
  "responseFormat.schema": "generationConfig.responseJsonSchema",
  "reasoning.enabled": "generationConfig.thinkingConfig.thinkingBudget",
  "reasoning.disabled": "generationConfig.thinkingConfig.thinkingBudget",
  "reasoning.effort": "generationConfig.thinkingConfig.thinkingLevel",
  "reasoning.budget": "generationConfig.thinkingConfig.thinkingBudget",
  "reasoning.summary": "generationConfig.thinkingConfig.includeThoughts",
  maxOutputTokens: "generationConfig.maxOutputTokens",
  temperature: "generationConfig.temperature",
  topP: "generationConfig.topP",
  topK: "generationConfig.topK",
  presencePenalty: "generationConfig.presencePenalty",
  frequencyPenalty: "generationConfig.frequencyPenalty",
  seed: "generationConfig.seed",
  stop: "generationConfig.stopSequences",
  candidateCount: "generationConfig.candidateCount",
  logprobs: "generationConfig.responseLogprobs",
  topLogprobs: "generationConfig.logprobs",
  "modalities.output": "generationConfig.responseModalities",
  serviceTier: "serviceTier",
  "google.safetySettings": "safetySettings",
  "google.safetyOff": "safetySettings",
  "google.continuationToken": "continuationToken",
  "google.cachedContent": "cachedContent",
  "google.labels": "labels",
  "google.store": "store",
  "google.speechConfig": "generationConfig.speechConfig",
  "google.mediaResolution": "generationConfig.mediaResolution",
  "google.imageConfig": "generationConfig.imageConfig",
  "google.generationOptions": "generationConfig",
  "google.toolOptions": "toolConfig",
};

/** The spelling of one request: its author's, if some of it is in snake_case. */
export function spellingOf(body: JsonObject): Spelling {
  const config = body[writtenName(body, "generationConfig")];
  const olderSchema = isObject(config) && config[writtenName(config, "responseSchema")] !== undefined;
  const spelling = olderSchema
    ? { ...geminiSpelling, "responseFormat.schema": "generationConfig.responseSchema" }
    : geminiSpelling;
  if (!hasSnakeCase(body, 3)) return spelling;
  const written = Object.entries(spelling).map(([field, path]) => [field, writtenPath(body, path)] as const);
  return Object.fromEntries(written) as Partial<Record<FieldName, string>>;
}

/** Whether any name is in snake_case, as deep as paths of settings go. */
function hasSnakeCase(object: JsonObject, depth: number): boolean {
  for (const name in object) {
    if (name.includes("_")) return true;
    const value = object[name];
    if (depth > 1 && isObject(value) && hasSnakeCase(value, depth - 1)) return true;
  }
  return false;
}

function writtenPath(body: JsonObject, path: string): string {
  let object: unknown = body;
  return path
    .split(".")
    .map((name) => {
      if (!isObject(object)) return name;
      const written = writtenName(object, name);
      object = object[written];
      return written;
    })
    .join(".");
}
