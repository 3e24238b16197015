import type { JsonObject } from "../json.ts";
import type { Tokens } from "../reply.ts";
import type { Script } from "../script/script.ts";
import type { CachePoint } from "./read-cache.ts";

/**
 * The usage set by the script: a variant as far as this API can report it, an object, or undefined for none.
 * `input_tokens` excludes cache reads and writes.
 */
export function writeUsage(
  tokens: Tokens,
  wanted: Script["usage"],
  lifetime: CachePoint["lifetime"],
): JsonObject | undefined {
  if (wanted === null || wanted === "none") return undefined;
  if (typeof wanted === "object") return wanted;
  const { input, cacheRead, cacheWrite, output, reasoning } = tokens;
  const uncached = input - cacheRead - cacheWrite;
  switch (wanted) {
    case "prompt_only":
      return { input_tokens: uncached };
    case "completion_only":
      return { output_tokens: output };
    case "zeros":
      return { input_tokens: 0, output_tokens: 0 };
    case "strings":
      return { input_tokens: String(uncached), output_tokens: String(output) };
    default:
      return {
        input_tokens: uncached,
        cache_creation_input_tokens: cacheWrite,
        cache_read_input_tokens: cacheRead,
        cache_creation: {
          ephemeral_5m_input_tokens: lifetime === "5m" ? cacheWrite : 0,
          ephemeral_1h_input_tokens: lifetime === "1h" ? cacheWrite : 0,
        },
        output_tokens: output,
        output_tokens_details: { thinking_tokens: reasoning },
        server_tool_use: null,
        service_tier: "standard",
      };
  }
}

/** The usage at the beginning of a stream. */
export function usageAtStart(usage: JsonObject | undefined): JsonObject | undefined {
  if (usage === undefined || typeof usage["output_tokens"] !== "number") return usage;
  const { output_tokens_details: _details, ...counts } = usage;
  return { ...counts, output_tokens: Math.min(usage["output_tokens"], 1) };
}

/** The usage at the end of a stream: the final counts, without those that only the beginning has. */
export function usageAtEnd(usage: JsonObject | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const { cache_creation: _split, service_tier: _tier, ...counts } = usage;
  return counts;
}
