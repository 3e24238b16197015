import type { ReportedUsage } from "../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/** No single request comes near this many tokens; what claims to is not a count. */
const mostTokens = 1_000_000_000;

/**
 * Reads `usageMetadata`. The prompt's count includes what came from a cache, not what tools were given to read; thoughts
 * stand beside the candidates' count. Google leaves out counts of 0, so a side is missing only where the total does not
 * tell it either. Null where there is no usage object at all.
 */
export function readGeminiUsage(raw: unknown): ReportedUsage | null {
  if (!isObject(raw)) return null;
  const prompt = tokenCount(raw.promptTokenCount);
  const tools = tokenCount(raw.toolUsePromptTokenCount) ?? 0;
  const thoughts = tokenCount(raw.thoughtsTokenCount);
  const written = tokenCount(raw.candidatesTokenCount) ?? writtenByTotal(raw, prompt, tools, thoughts);
  return {
    input: prompt === null ? null : readInput(prompt + tools, tokenCount(raw.cachedContentTokenCount) ?? 0),
    output: written === null && thoughts === null ? null : (written ?? 0) + (thoughts ?? 0),
    reasoning: thoughts ?? (written === null ? null : 0),
    raw,
  };
}

function readInput(inclusive: number, cacheRead: number): ReportedUsage["input"] {
  // A prompt smaller than its cached part does not include it: nothing is to be taken off.
  const input = cacheRead <= inclusive ? inclusive - cacheRead : inclusive;
  return { input, cacheRead, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheMiss: 0 };
}

/** The candidates' count as what is left of the total; null where that cannot be told. */
function writtenByTotal(raw: JsonObject, prompt: number | null, tools: number, thoughts: number | null): number | null {
  const total = tokenCount(raw.totalTokenCount);
  if (total === null || prompt === null) return null;
  return Math.max(0, total - prompt - tools - (thoughts ?? 0));
}

function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= mostTokens ? value : null;
}

/** Writes `usageMetadata` with Google's meaning: everything read in the prompt's count, thoughts apart. */
export function writeGeminiUsage({ input, output, reasoning }: ReportedUsage): JsonObject {
  const prompt = input === null ? 0 : Object.values(input).reduce((sum, count) => sum + count, 0);
  const written = output ?? 0;
  const thoughts = Math.min(reasoning ?? 0, written);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: written - thoughts,
    totalTokenCount: prompt + written,
    ...(input !== null && input.cacheRead > 0 ? { cachedContentTokenCount: input.cacheRead } : {}),
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
  };
}
