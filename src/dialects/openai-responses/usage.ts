import type { ReportedUsage } from "../../conversation/usage.ts";
import { type MutableQuantities, sumOf } from "../../dimensions.ts";
import { isObject, listOrEmpty, type JsonObject } from "../../json/values.ts";
import { inputQuantities, readCount, readOpenaiParts, reportOf } from "../fields/read-count.ts";

/**
 * Reads what a response object says of its usage: input counts include both cache counts, output counts include
 * reasoning. Null if there is no usage object, or an empty one, and nothing was searched; a side that it does not report
 * is not reported.
 * @param seen searches that were seen on the way, for an answer whose end does not repeat them
 */
export function readResponsesUsage(response: JsonObject, seen = 0): ReportedUsage | null {
  const searches = Math.max(seen, searchesIn(response));
  const raw = objectOf(response.usage);
  if (Object.keys(raw).length === 0 && searches === 0) return null;
  const total = readCount(raw.input_tokens);
  const output = readCount(raw.output_tokens);
  const reasoning = readCount(objectOf(raw.output_tokens_details).reasoning_tokens);
  return reportOf({
    input: total === null ? null : readInput(total, objectOf(raw.input_tokens_details)),
    output,
    searches,
    reasoning: output === null || reasoning === null ? reasoning : Math.min(reasoning, output),
    parts: readOpenaiParts(raw.input_tokens_details, raw.output_tokens_details),
    serviceTier: response.service_tier,
    raw,
  });
}

function readInput(total: number, details: JsonObject): MutableQuantities {
  const cacheRead = readCount(details.cached_tokens) ?? 0;
  const cacheWrite = readCount(details.cache_write_tokens) ?? 0;
  const uncached = total - cacheRead - cacheWrite;
  // A total smaller than its cached part does not include it: nothing is to be taken off.
  return inputQuantities(uncached >= 0 ? uncached : total, cacheRead, cacheWrite);
}

/** As the response counts them, else as its items show. */
function searchesIn({ tool_usage: usage, output }: JsonObject): number {
  const told = readCount(objectOf(objectOf(usage).web_search).num_requests);
  return told ?? listOrEmpty(output).filter(isSearch).length;
}

/** A call of the hosted search that is charged: opening a page that was found is not. */
export function isSearch(item: unknown): boolean {
  if (!isObject(item) || item.type !== "web_search_call" || item.status === "failed") return false;
  const { type } = objectOf(item.action);
  return type === undefined || type === "search";
}

/** Writes `usage` with this dialect's meaning. A side that was not reported counts as 0. */
export function writeResponsesUsage({ quantities, reasoning }: ReportedUsage): JsonObject {
  const { cache_read = 0, cache_write = 0, cache_write_5m = 0, cache_write_1h = 0, output = 0 } = quantities;
  const input = sumOf(quantities, "token", "input");
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cache_read,
      cache_write_tokens: cache_write + cache_write_5m + cache_write_1h,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: input + output,
  };
}

const nothing: JsonObject = {};

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : nothing;
}
