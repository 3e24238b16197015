import type { ReportedUsage } from "../../conversation/usage.ts";
import type { MutableQuantities } from "../../dimensions.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { inputQuantities, readCount, readOpenaiParts, reportOf } from "../fields/read-count.ts";

/**
 * Reads the `usage` object of an OpenAI-compatible answer, whichever vendor wrote it. Vendors name the same fact in
 * several places, and some in two at once: the largest of them is taken, so that a 0 under one name hides no count under
 * another, and nothing is counted twice. What is not a whole number from 0 up is treated as not reported.
 *
 * Null if there is no usage object, or an empty one; a side that it does not report is null.
 * @param serviceTier what the answer calls its service tier, beside the usage object
 */
export function readUsage(raw: unknown, serviceTier?: unknown): ReportedUsage | null {
  if (!isObject(raw)) return null;
  const prompt = readCount(raw["prompt_tokens"]);
  const input = readInput(raw, prompt);
  const { output, reasoning } = readOutput(raw, prompt);
  // Usage in an unknown form is still kept for the record, to show what the provider sent.
  if (input === null && output === null && Object.keys(raw).length === 0) return null;
  const parts = readOpenaiParts(raw["prompt_tokens_details"], raw["completion_tokens_details"]);
  return reportOf({ input, output, reasoning, parts, serviceTier, raw });
}

function readInput(raw: JsonObject, prompt: number | null): MutableQuantities | null {
  // Mistral has both spellings.
  const details = objectOf(raw["prompt_tokens_details"]);
  const otherDetails = objectOf(raw["prompt_token_details"]);
  const hit = readCount(raw["prompt_cache_hit_tokens"]);
  const read =
    largest(
      readCount(details["cached_tokens"]),
      readCount(otherDetails["cached_tokens"]),
      readCount(raw["num_cached_tokens"]),
      readCount(raw["cached_tokens"]),
      hit,
    ) ?? 0;
  const write =
    largest(readCount(details["cache_write_tokens"]), readCount(details["cache_creation_input_tokens"])) ?? 0;
  const miss = largest(readCount(raw["prompt_cache_miss_tokens"]), readCount(details["cache_miss_tokens"]));

  // Misses count only where they make up the prompt together with the rest: then they are its uncached input.
  const inclusive = prompt ?? (hit !== null && miss !== null ? read + write + miss : null);
  if (inclusive === null) return null;
  if (miss !== null && read + write + miss === inclusive) return inputQuantities(0, read, write, miss);
  const uncached = inclusive - read - write;
  // A prompt smaller than its cached part does not include it (xAI at times): nothing is to be taken off.
  return inputQuantities(uncached >= 0 ? uncached : inclusive, read, write);
}

function readOutput(raw: JsonObject, prompt: number | null): Record<"output" | "reasoning", number | null> {
  const completion = readCount(raw["completion_tokens"]);
  const reasoning = readCount(objectOf(raw["completion_tokens_details"])["reasoning_tokens"]);
  if (completion === null) return { output: null, reasoning };
  if (reasoning === null) return { output: completion, reasoning };
  // Most vendors count reasoning inside completion, xAI beside it. Only the sum tells which.
  const total = readCount(raw["total_tokens"]);
  const beside = total !== null && prompt !== null && total === prompt + completion + reasoning;
  const output = beside ? completion + reasoning : completion;
  return { output, reasoning: Math.min(reasoning, output) };
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
