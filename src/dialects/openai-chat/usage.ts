import type { InputTokens, ReportedUsage } from "../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/** No single request comes near this many tokens; what claims to is not a count. */
const mostTokens = 1_000_000_000;

/**
 * Reads the `usage` object of an OpenAI-compatible answer, whichever vendor wrote it. Vendors name the same fact in
 * several places, and some in two at once: the largest of them is taken, so that a 0 under one name hides no count under
 * another, and nothing is counted twice. What is not a whole number from 0 up is treated as not reported.
 *
 * Null where there is no usage object, or an empty one; a side that it does not report is null.
 */
export function readUsage(raw: unknown): ReportedUsage | null {
  if (!isObject(raw)) return null;
  const prompt = tokenCount(raw["prompt_tokens"]);
  const input = readInput(raw, prompt);
  const { output, reasoning } = readOutput(raw, prompt);
  // What says nothing that is understood is still kept for the record, so that one can see what the provider sent.
  if (input === null && output === null && Object.keys(raw).length === 0) return null;
  return { input, output, reasoning, raw };
}

function readInput(raw: JsonObject, prompt: number | null): InputTokens | null {
  // Mistral has both spellings.
  const details = objectOf(raw["prompt_tokens_details"]);
  const otherDetails = objectOf(raw["prompt_token_details"]);
  const hit = tokenCount(raw["prompt_cache_hit_tokens"]);
  const read =
    largest(
      tokenCount(details["cached_tokens"]),
      tokenCount(otherDetails["cached_tokens"]),
      tokenCount(raw["num_cached_tokens"]),
      tokenCount(raw["cached_tokens"]),
      hit,
    ) ?? 0;
  const write =
    largest(tokenCount(details["cache_write_tokens"]), tokenCount(details["cache_creation_input_tokens"])) ?? 0;
  const miss = largest(tokenCount(raw["prompt_cache_miss_tokens"]), tokenCount(details["cache_miss_tokens"]));

  // Misses count only where they make up the prompt together with the rest: then they are its uncached input.
  const inclusive = prompt ?? (hit !== null && miss !== null ? read + write + miss : null);
  if (inclusive === null) return null;
  if (miss !== null && read + write + miss === inclusive) return inputTokens(0, read, write, miss);
  const uncached = inclusive - read - write;
  // A prompt smaller than its cached part does not include it (xAI at times): nothing is to be taken off.
  return inputTokens(uncached >= 0 ? uncached : inclusive, read, write, 0);
}

function readOutput(raw: JsonObject, prompt: number | null): Pick<ReportedUsage, "output" | "reasoning"> {
  const completion = tokenCount(raw["completion_tokens"]);
  const reasoning = tokenCount(objectOf(raw["completion_tokens_details"])["reasoning_tokens"]);
  if (completion === null) return { output: null, reasoning };
  if (reasoning === null) return { output: completion, reasoning };
  // Most vendors count reasoning inside completion, xAI beside it. Only the sum tells which.
  const total = tokenCount(raw["total_tokens"]);
  const beside = total !== null && prompt !== null && total === prompt + completion + reasoning;
  const output = beside ? completion + reasoning : completion;
  return { output, reasoning: Math.min(reasoning, output) };
}

function inputTokens(input: number, cacheRead: number, cacheWrite: number, cacheMiss: number): InputTokens {
  return { input, cacheRead, cacheWrite, cacheWrite5m: 0, cacheWrite1h: 0, cacheMiss };
}

function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= mostTokens ? value : null;
}

function largest(...counts: readonly (number | null)[]): number | null {
  let most: number | null = null;
  for (const count of counts) if (count !== null && (most === null || count > most)) most = count;
  return most;
}

const nothing: JsonObject = {};

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : nothing;
}
