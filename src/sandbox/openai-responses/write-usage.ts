import type { Tokens } from "../reply.ts";
import type { Script } from "../script/script.ts";

/** The usage set by the script: a variant as far as this API can report it, an object, or null for none. */
export function writeUsage(tokens: Tokens, wanted: Script["usage"]): unknown {
  if (wanted === null || wanted === "none") return null;
  if (typeof wanted === "object") return wanted;
  const input = { input_tokens: tokens.input };
  const output = { output_tokens: tokens.output };
  switch (wanted) {
    case "prompt_only":
      return input;
    case "completion_only":
      return output;
    case "zeros":
      return { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    case "strings":
      return { input_tokens: String(tokens.input), output_tokens: String(tokens.output) };
    default: {
      const written = wanted === "openai_cache_write" ? { cache_write_tokens: tokens.cacheWrite } : {};
      return {
        ...input,
        input_tokens_details: { cached_tokens: tokens.cacheRead, ...written },
        ...output,
        output_tokens_details: { reasoning_tokens: tokens.reasoning },
        total_tokens: tokens.input + tokens.output,
      };
    }
  }
}
