import { expect, test } from "bun:test";
import { usageVariants } from "../script/script.ts";
import { writeUsage } from "./write-usage.ts";

const tokens = { input: 100, cacheRead: 20, cacheWrite: 30, output: 100, reasoning: 70 };

test.each([
  ["openai", { prompt_tokens: 100, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 20 } }],
  ["openai_cache_write", { prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 } }],
  ["deepseek", { prompt_cache_hit_tokens: 20, prompt_cache_miss_tokens: 80 }],
  ["xai", { completion_tokens: 30, total_tokens: 200, completion_tokens_details: { reasoning_tokens: 70 } }],
  ["mistral", { num_cached_tokens: 20 }],
  ["moonshot", { cached_tokens: 20 }],
  ["groq", { prompt_tokens_details: { cached_tokens: 20 } }],
  ["alibaba", { prompt_tokens_details: { cached_tokens: 20, cache_creation_input_tokens: 30 } }],
  ["openrouter", { cost: 0.0005 }],
  ["prompt_only", { prompt_tokens: 100 }],
  ["completion_only", { completion_tokens: 100 }],
  ["strings", { total_tokens: "200" }],
  ["zeros", { total_tokens: 0 }],
] as const)("%s reports usage its own way", (variant, expected) => {
  expect(writeUsage(tokens, variant)).toMatchObject(expected);
});

test("totals are consistent", () => {
  for (const variant of usageVariants) {
    const usage = writeUsage(tokens, variant);
    if (typeof usage !== "object" || usage === null || !("total_tokens" in usage)) continue;
    if (variant !== "zeros") expect(Number(usage.total_tokens)).toBe(tokens.input + tokens.output);
  }
});

test("none and null give no usage, an object is written unchanged", () => {
  expect(writeUsage(tokens, "none")).toBeNull();
  expect(writeUsage(tokens, null)).toBeNull();
  expect(writeUsage(tokens, { odd: true })).toEqual({ odd: true });
});
