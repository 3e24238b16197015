import type { Tokens } from "../reply.ts";
import type { Script, UsageVariant } from "../script/script.ts";

/** The usage set by the script: a vendor's variant, an object, or null for none. */
export function writeUsage(tokens: Tokens, wanted: Script["usage"]): unknown {
  if (wanted === null) return null;
  if (typeof wanted === "object") return wanted;
  return variants[wanted ?? "openai"](tokens);
}

const variants: Readonly<Record<UsageVariant, (tokens: Tokens) => unknown>> = {
  openai: (tokens) => ({
    ...totals(tokens),
    prompt_tokens_details: { cached_tokens: tokens.cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: tokens.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
  openai_cache_write: (tokens) => ({
    ...totals(tokens),
    prompt_tokens_details: { cached_tokens: tokens.cacheRead, cache_write_tokens: tokens.cacheWrite, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning, audio_tokens: 0 },
  }),
  deepseek: (tokens) => ({
    ...totals(tokens),
    prompt_tokens_details: { cached_tokens: tokens.cacheRead },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
    prompt_cache_hit_tokens: tokens.cacheRead,
    prompt_cache_miss_tokens: tokens.input - tokens.cacheRead,
  }),
  // Reasoning is not part of completion_tokens, but of total_tokens.
  xai: (tokens) => ({
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output - tokens.reasoning,
    total_tokens: tokens.input + tokens.output,
    prompt_tokens_details: {
      text_tokens: tokens.input,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: tokens.cacheRead,
    },
    completion_tokens_details: {
      reasoning_tokens: tokens.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
  }),
  mistral: (tokens) => ({ ...totals(tokens), num_cached_tokens: tokens.cacheRead }),
  moonshot: (tokens) => ({ ...totals(tokens), cached_tokens: tokens.cacheRead }),
  groq: (tokens) => ({
    queue_time: 0.018,
    prompt_tokens: tokens.input,
    prompt_time: 0.002,
    completion_tokens: tokens.output,
    completion_time: 0.25,
    total_tokens: tokens.input + tokens.output,
    total_time: 0.252,
    prompt_tokens_details: { cached_tokens: tokens.cacheRead },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  }),
  alibaba: (tokens) => ({
    ...totals(tokens),
    prompt_tokens_details: { cached_tokens: tokens.cacheRead, cache_creation_input_tokens: tokens.cacheWrite },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  }),
  openrouter: (tokens) => ({
    ...totals(tokens),
    cost: (tokens.input + tokens.output * 4) / 1_000_000,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: tokens.cacheRead, cache_write_tokens: tokens.cacheWrite, audio_tokens: 0 },
    cost_details: { upstream_inference_cost: null },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning, image_tokens: 0 },
  }),
  prompt_only: (tokens) => ({ prompt_tokens: tokens.input }),
  completion_only: (tokens) => ({ completion_tokens: tokens.output }),
  none: () => null,
  strings: (tokens) => ({
    prompt_tokens: String(tokens.input),
    completion_tokens: String(tokens.output),
    total_tokens: String(tokens.input + tokens.output),
  }),
  zeros: () => ({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }),
};

function totals(tokens: Tokens): { prompt_tokens: number; completion_tokens: number; total_tokens: number } {
  return {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  };
}
