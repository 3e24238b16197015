import type { ReportedUsage } from "../../conversation/usage.ts";
import { type MutableQuantities, type Quantities, sumOf } from "../../dimensions.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { inputQuantities, partsOf, readCount, reportOf } from "../fields/read-count.ts";

/**
 * Reads `usageMetadata`. The prompt's count includes what came from a cache, not what tools were given to read; thoughts
 * stand beside the candidates' count. Google leaves out counts of 0, so a side is missing only where the total does not
 * tell it either. Null where there is no usage object at all.
 */
export function readGeminiUsage(raw: unknown): ReportedUsage | null {
  if (!isObject(raw)) return null;
  const prompt = readCount(raw.promptTokenCount);
  const tools = readCount(raw.toolUsePromptTokenCount) ?? 0;
  const thoughts = readCount(raw.thoughtsTokenCount);
  const written = readCount(raw.candidatesTokenCount) ?? writtenByTotal(raw, prompt, tools, thoughts);
  return reportOf({
    input: prompt === null ? null : readInput(prompt + tools, readCount(raw.cachedContentTokenCount) ?? 0),
    output: written === null && thoughts === null ? null : (written ?? 0) + (thoughts ?? 0),
    reasoning: thoughts ?? (written === null ? null : 0),
    parts: readParts(raw),
    serviceTier: raw.serviceTier ?? raw.trafficType,
    raw,
  });
}

function readInput(inclusive: number, cacheRead: number): MutableQuantities {
  // A prompt smaller than its cached part does not include it: nothing is to be taken off.
  return inputQuantities(cacheRead <= inclusive ? inclusive - cacheRead : inclusive, cacheRead, 0);
}

/** The kinds of tokens among those that were read, cached ones apart, and among those that were written. */
function readParts(raw: JsonObject): Quantities | null {
  const read = (kind: string) =>
    countOf(raw.promptTokensDetails, kind) +
    countOf(raw.toolUsePromptTokensDetails, kind) -
    countOf(raw.cacheTokensDetails, kind);
  return partsOf({
    input_audio: read("AUDIO"),
    input_image: read("IMAGE"),
    output_audio: countOf(raw.candidatesTokensDetails, "AUDIO"),
    output_image: countOf(raw.candidatesTokensDetails, "IMAGE"),
  });
}

/** Tokens of one kind in a list of details. */
function countOf(details: unknown, modality: string): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const each of details) {
    if (isObject(each) && each.modality === modality) sum += readCount(each.tokenCount) ?? 0;
  }
  return sum;
}

/** The candidates' count as what is left of the total; null where that cannot be told. */
function writtenByTotal(raw: JsonObject, prompt: number | null, tools: number, thoughts: number | null): number | null {
  const total = readCount(raw.totalTokenCount);
  if (total === null || prompt === null) return null;
  return Math.max(0, total - prompt - tools - (thoughts ?? 0));
}

/** Writes `usageMetadata` with Google's meaning: everything read in the prompt's count, thoughts apart. */
export function writeGeminiUsage({ quantities, reasoning }: ReportedUsage): JsonObject {
  const { output = 0, cache_read = 0 } = quantities;
  const prompt = sumOf(quantities, "token", "input");
  const thoughts = Math.min(reasoning ?? 0, output);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - thoughts,
    totalTokenCount: prompt + output,
    ...(cache_read > 0 ? { cachedContentTokenCount: cache_read } : {}),
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
  };
}
