import type { InputTokens, ReportedUsage } from "../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/** Reads a `usage` object: its counts exclude each other. Null where it is none. */
export function readMessagesUsage(usage: unknown): ReportedUsage | null {
  if (!isObject(usage)) return null;
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    input: readInput(usage),
    output: count(usage.output_tokens),
    reasoning: count(details.thinking_tokens),
    raw: usage,
  };
}

function readInput(usage: JsonObject): InputTokens | null {
  const input = count(usage.input_tokens);
  const cacheRead = count(usage.cache_read_input_tokens);
  const written = count(usage.cache_creation_input_tokens);
  if (input === null && cacheRead === null && written === null) return null;
  const split = isObject(usage.cache_creation) ? usage.cache_creation : {};
  const cacheWrite5m = count(split.ephemeral_5m_input_tokens) ?? 0;
  const cacheWrite1h = count(split.ephemeral_1h_input_tokens) ?? 0;
  return {
    input: input ?? 0,
    cacheRead: cacheRead ?? 0,
    // What is written and not split has a lifetime that is not told.
    cacheWrite: Math.max(0, (written ?? 0) - cacheWrite5m - cacheWrite1h),
    cacheWrite5m,
    cacheWrite1h,
    cacheMiss: 0,
  };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

/**
 * Joins a later usage object of a stream to what was known: counts are cumulative, so the newer stands, field by field,
 * and an absent or null one changes nothing.
 */
export function joinUsage(known: JsonObject, newer: unknown): JsonObject {
  if (!isObject(newer)) return known;
  const said = Object.entries(newer).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(said) };
}

/** Writes `usage` with Anthropic's meaning: `input_tokens` leaves out what caches read and wrote. */
export function writeMessagesUsage({ input, output, reasoning }: ReportedUsage): JsonObject {
  const { cacheWrite = 0, cacheWrite5m = 0, cacheWrite1h = 0 } = input ?? {};
  const split = cacheWrite === 0 || cacheWrite5m > 0 || cacheWrite1h > 0;
  return {
    input_tokens: (input?.input ?? 0) + (input?.cacheMiss ?? 0),
    cache_creation_input_tokens: cacheWrite + cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: input?.cacheRead ?? 0,
    ...(split
      ? { cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h } }
      : {}),
    output_tokens: output ?? 0,
    ...(reasoning === null ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}
