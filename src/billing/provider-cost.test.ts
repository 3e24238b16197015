import { expect, test } from "bun:test";
import { readProviderCost } from "./provider-cost.ts";

test.each([
  ["OpenRouter", { prompt_tokens: 10, cost: 0.00014 }, 0.00014],
  ["OpenRouter, for nothing", { cost: 0 }, 0],
  ["Perplexity", { cost: { input_tokens_cost: 0.001, total_cost: 0.006 } }, 0.006],
  ["xAI", { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
  ["one that says nothing", { prompt_tokens: 10 }, null],
  ["one that reports a text", { cost: "0.01" }, null],
  ["one below 0", { cost: -0.01 }, null],
  ["one that is absurd", { cost: 1e18 }, null],
  ["one that is no number", { cost: Number.NaN }, null],
  ["one without a value", { cost: null }, null],
  ["one with a list", { cost: [1] }, null],
  ["xAI with ticks that are absurd", { cost_in_usd_ticks: 1e18 }, null],
  ["xAI with ticks that are a text", { cost_in_usd_ticks: "5" }, null],
])("the cost of %s is read", (_, usage, expected) => {
  expect(readProviderCost(usage)).toBe(expected);
});
