import type { ReportedUsage } from "../../conversation/usage.ts";
import { addQuantity, type MutableQuantities } from "../../dimensions.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { inputQuantities, readCount, reportOf } from "../fields/read-count.ts";

/**
 * Reads a `usage` object: its counts exclude each other. Null if it is none.
 * @param seen searches that were seen on the way, which are counted only at the end
 */
export function readMessagesUsage(usage: unknown, seen = 0): ReportedUsage | null {
  if (!isObject(usage)) return null;
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const tools = isObject(usage.server_tool_use) ? usage.server_tool_use : {};
  return reportOf({
    input: readInput(usage),
    output: readCount(usage.output_tokens),
    searches: Math.max(seen, readCount(tools.web_search_requests) ?? 0),
    reasoning: readCount(details.thinking_tokens),
    serviceTier: usage.service_tier,
    raw: usage,
  });
}

function readInput(usage: JsonObject): MutableQuantities | null {
  const input = readCount(usage.input_tokens);
  const cacheRead = readCount(usage.cache_read_input_tokens);
  const written = readCount(usage.cache_creation_input_tokens);
  if (input === null && cacheRead === null && written === null) return null;
  const split = isObject(usage.cache_creation) ? usage.cache_creation : {};
  const written5m = readCount(split.ephemeral_5m_input_tokens) ?? 0;
  const written1h = readCount(split.ephemeral_1h_input_tokens) ?? 0;
  // Cache writes that are not split have an unknown lifetime.
  const quantities = inputQuantities(input ?? 0, cacheRead ?? 0, (written ?? 0) - written5m - written1h);
  addQuantity(quantities, "cache_write_5m", written5m);
  addQuantity(quantities, "cache_write_1h", written1h);
  return quantities;
}

const inputFields = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/**
 * Joins a later usage object of a stream to what was known: counts are cumulative, so the newer stands, field by field.
 * A field that is absent or null changes nothing, and a side that is all 0 takes nothing back.
 */
export function joinUsage(known: JsonObject, newer: unknown): JsonObject {
  if (!isObject(newer)) return known;
  const joined: Record<string, unknown> = { ...known };
  const hasInput = inputFields.some((name) => (readCount(newer[name]) ?? 0) > 0);
  for (const [name, value] of Object.entries(newer)) {
    const isEmpty = value === 0 && !(hasInput && inputFields.some((field) => field === name));
    if (value === null || value === undefined || (isEmpty && readCount(known[name]) !== null)) continue;
    joined[name] = value;
  }
  return joined;
}

/** Writes `usage` with Anthropic's meaning: `input_tokens` leaves out what caches read and wrote. */
export function writeMessagesUsage({ quantities, reasoning }: ReportedUsage): JsonObject {
  const { input = 0, cache_miss = 0, cache_read = 0, output = 0, web_search = 0 } = quantities;
  const { cache_write = 0, cache_write_5m = 0, cache_write_1h = 0 } = quantities;
  const split = cache_write === 0 || cache_write_5m > 0 || cache_write_1h > 0;
  return {
    input_tokens: input + cache_miss,
    cache_creation_input_tokens: cache_write + cache_write_5m + cache_write_1h,
    cache_read_input_tokens: cache_read,
    ...(split
      ? { cache_creation: { ephemeral_5m_input_tokens: cache_write_5m, ephemeral_1h_input_tokens: cache_write_1h } }
      : {}),
    output_tokens: output,
    ...(reasoning === null ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(web_search > 0 ? { server_tool_use: { web_search_requests: web_search, web_fetch_requests: 0 } } : {}),
  };
}
