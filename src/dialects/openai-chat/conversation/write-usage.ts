import type { ReportedUsage } from "../../../conversation/usage.ts";
import type { JsonObject } from "../../../json/values.ts";

/** Writes `usage` with OpenAI's meaning: `prompt_tokens` counts everything read, caches included. */
export function writeChatUsage({ input, output, reasoning }: ReportedUsage): JsonObject {
  const cached = input?.cacheRead ?? 0;
  const written = input === null ? 0 : input.cacheWrite + input.cacheWrite5m + input.cacheWrite1h;
  const prompt = input === null ? 0 : input.input + input.cacheMiss + cached + written;
  const completion = output ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, ...(written > 0 ? { cache_write_tokens: written } : {}) },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  };
}
