import type { ChargeFacts } from "../../src/billing/charge.ts";
import type { ChargingRuleName } from "../../src/billing/charging-rules.ts";
import type { PriceDocument } from "../../src/billing/prices/price-document.ts";
import type { Quantities } from "../../src/dimensions.ts";

/** What an example is charged for: the page works it out with the gateway's own code. */
export interface ChargingExample {
  readonly story: string;
  readonly used: Quantities;
  /** Those of `examplePrices` if not given. */
  readonly prices?: PriceDocument;
  readonly facts?: Partial<ChargeFacts>;
}

/** 1.25 USD for a million tokens that are read, 0.125 if they come from a cache, and 10 for a million that are written. */
export const examplePrices: PriceDocument = { input: 1_250_000, cache_read: 125_000, output: 10_000_000 };

/** One worked example for each rule. */
export const chargingExamples: Readonly<Record<ChargingRuleName, ChargingExample>> = {
  success: {
    story: "2,006 tokens are read, 1,920 of them from a cache, and 300 are written.",
    used: { input: 86, cache_read: 1_920, output: 300 },
  },
  abort_before_first_byte: { story: "The caller hangs up while the model still thinks.", used: {} },
  abort_after_first_byte: {
    story: "120 tokens were read; the caller leaves after what the tokenizer counts as 45 tokens of a longer answer.",
    used: { input: 120, output: 45 },
  },
  failure_before_first_byte: { story: "The provider answers 500, and no other target is left.", used: {} },
  failure_after_first_byte: {
    story: "120 tokens were read and 45 were written when the connection broke.",
    used: { input: 120, output: 45 },
  },
  failed_finish: {
    story: "A Responses stream ends with `response.failed` after 45 tokens.",
    used: { input: 120, output: 45 },
  },
  no_usage: {
    story: "A local server reports nothing; the tokenizer counts 12 tokens in the prompt and 7 in the answer.",
    used: { input: 12, output: 7 },
  },
  repeated_usage: {
    story: "A stream reports 120 and 10 tokens, then 120 and 45, then 0 and 0.",
    used: { input: 120, output: 45 },
  },
  impossible_usage: {
    story: "The provider reports 120 tokens of input and 10^18 of output; the tokenizer counts 45 in the answer.",
    used: { input: 120, output: 45 },
  },
  suspect_usage: {
    story: "The request says `max_tokens: 45`, and the provider reports 120 tokens of input and 4,500 of output.",
    used: { input: 120, output: 45 },
  },
  content_filter: {
    story: "The model declines a prompt of 120 tokens in 9 tokens.",
    used: { input: 120, output: 9 },
  },
  tool_calls: {
    story: "A prompt of 400 tokens is answered with two calls of 30 tokens each.",
    used: { input: 400, output: 60 },
  },
  fallback: {
    story: "The first model fails; a smaller one, at 0.25 and 2 USD, reads 120 tokens and writes 45.",
    used: { input: 120, output: 45 },
    prices: { input: 250_000, output: 2_000_000 },
  },
  lost_hedge: {
    story: "Two targets of a model are asked; the first answer reads 120 tokens and writes 45.",
    used: { input: 120, output: 45 },
  },
  replay: { story: "The same request is sent again with the same key.", used: {} },
  free_operation: { story: "A prompt of 120 tokens is counted.", used: { input: 120 } },
  pending_job: {
    story: "A video of 8 seconds at 0.10 USD a second is ordered, and the job has ended.",
    used: { video_second: 8 },
    prices: { video_second: 100_000 },
  },
  refusal: { story: "The body names a model that does not exist.", used: {} },
};

/** Examples of how a price is found. */
export const priceExamples: readonly (ChargingExample & { readonly title: string; readonly prices: PriceDocument })[] =
  [
    {
      title: "A tier by size",
      story: "200,001 tokens of input are above the threshold of 200,000: the whole request is priced at the tier.",
      prices: {
        input: 1_250_000,
        output: 10_000_000,
        tiers: [{ above_input_tokens: 200_000, input: 2_500_000, output: 15_000_000 }],
      },
      used: { input: 200_001, output: 1_000 },
    },
    {
      title: "A service tier",
      story: "The answer says that it was served under `flex`.",
      prices: {
        input: 1_250_000,
        output: 10_000_000,
        service_tiers: { flex: { input: 600_000, output: 5_000_000 } },
      },
      used: { input: 10_000, output: 1_000 },
      facts: { serviceTier: "flex" },
    },
    {
      title: "A window",
      story: "The request begins at 23:00 UTC, within 16:30 to 00:30. The window names no price for output.",
      prices: {
        input: 1_250_000,
        output: 10_000_000,
        windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", input: 600_000 }],
      },
      used: { input: 10_000, output: 1_000 },
      facts: { at: Date.UTC(2026, 10, 22, 23) },
    },
    {
      title: "Caches of both lifetimes",
      story: "Tokens that are kept for 5 minutes and for an hour have prices of their own.",
      prices: {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write_5m: 3_750_000,
        cache_write_1h: 6_000_000,
        output: 15_000_000,
      },
      used: { input: 1_000, cache_read: 10_000, cache_write_5m: 2_000, cache_write_1h: 500, output: 300 },
    },
    {
      title: "A price of the request",
      story: "One line more, whatever was used.",
      prices: { input: 1_000_000, output: 1_000_000, request: 5_000 },
      used: { input: 20, output: 300 },
    },
    {
      title: "A price finer than a micro-USD",
      story: "0.0000305 USD a second is 30.50 USD for a million seconds: the record says so.",
      prices: { second: "0.0000305" },
      used: { second: 3_600 },
    },
    {
      title: "The provider's own cost",
      story: '`cost: provider`, and the provider reports `"cost": 0.0123456` in its usage.',
      prices: { input: 1_250_000, output: 10_000_000, cost: "provider" },
      used: { input: 1_000, output: 1_000 },
      facts: { providerCost: 0.0123456 },
    },
  ];
