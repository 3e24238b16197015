import type { InputTokens, ReportedUsage } from "../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/** No single request comes near this many tokens; what claims to is not a count. */
const mostTokens = 1_000_000_000;

/**
 * Reads the `usage` object of a Responses answer: input counts include both cache counts, output counts include
 * reasoning. Null where there is no usage object, or an empty one; a side that it does not report is null.
 */
export function readResponsesUsage(raw: unknown): ReportedUsage | null {
  if (!isObject(raw) || Object.keys(raw).length === 0) return null;
  const total = tokenCount(raw.input_tokens);
  const output = tokenCount(raw.output_tokens);
  const reasoning = tokenCount(objectOf(raw.output_tokens_details).reasoning_tokens);
  return {
    input: total === null ? null : inputTokens(total, objectOf(raw.input_tokens_details)),
    output,
    reasoning: output === null || reasoning === null ? reasoning : Math.min(reasoning, output),
    raw,
  };
}

function inputTokens(total: number, details: JsonObject): InputTokens {
  const cacheRead = tokenCount(details.cached_tokens) ?? 0;
  const cacheWrite = tokenCount(details.cache_write_tokens) ?? 0;
  const uncached = total - cacheRead - cacheWrite;
  // A total smaller than its cached part does not include it: nothing is to be taken off.
  const input = uncached >= 0 ? uncached : total;
  return { input, cacheRead, cacheWrite, cacheWrite5m: 0, cacheWrite1h: 0, cacheMiss: 0 };
}

/** Writes `usage` with this dialect's meaning. A side that was not reported counts as 0. */
export function writeResponsesUsage({ input, output, reasoning }: ReportedUsage): JsonObject {
  const read = input?.cacheRead ?? 0;
  const written = input === null ? 0 : input.cacheWrite + input.cacheWrite5m + input.cacheWrite1h;
  const inputTotal = input === null ? 0 : input.input + input.cacheMiss + read + written;
  const outputTotal = output ?? 0;
  return {
    input_tokens: inputTotal,
    input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
    output_tokens: outputTotal,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: inputTotal + outputTotal,
  };
}

function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= mostTokens ? value : null;
}

const nothing: JsonObject = {};

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : nothing;
}
