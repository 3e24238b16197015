import type { ReportedUsage } from "../../../../conversation/usage.ts";
import { sumOf } from "../../../../dimensions.ts";
import type { JsonObject } from "../../../../json/values.ts";

/** Writes `usage` with OpenAI's meaning: `prompt_tokens` counts everything read, caches included. */
export function writeChatUsage({ quantities, reasoning }: ReportedUsage): JsonObject {
  const { cache_read = 0, cache_write = 0, cache_write_5m = 0, cache_write_1h = 0, output = 0 } = quantities;
  const prompt = sumOf(quantities, "token", "input");
  const written = cache_write + cache_write_5m + cache_write_1h;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cache_read, ...(written > 0 ? { cache_write_tokens: written } : {}) },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  };
}
