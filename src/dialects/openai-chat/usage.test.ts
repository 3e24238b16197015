import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { recordedAnswers, recordedEvents } from "../recorded.testkit.ts";
import { readUsage } from "./usage.ts";
import { type Quantities, sumOf } from "../../dimensions.ts";

interface Example {
  readonly usage: Record<string, unknown>;
  readonly input: Quantities | null;
  readonly output: number | null;
  readonly reasoning?: number;
}

const examples: Record<string, Example> = {
  "OpenAI, cached prompt": {
    usage: { prompt_tokens: 2006, completion_tokens: 300, prompt_tokens_details: { cached_tokens: 1920 } },
    input: { input: 86, cache_read: 1920 },
    output: 300,
  },
  "OpenAI, cache write and reasoning inside completion": {
    usage: {
      prompt_tokens: 3300,
      completion_tokens: 50,
      total_tokens: 3350,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 3207 },
      completion_tokens_details: { reasoning_tokens: 20 },
    },
    input: { input: 93, cache_write: 3207 },
    output: 50,
    reasoning: 20,
  },
  "OpenAI, details null": {
    usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: null, completion_tokens_details: null },
    input: { input: 5 },
    output: 2,
  },
  "OpenAI, audio and prediction sub-counts are subsets": {
    usage: {
      prompt_tokens: 16,
      completion_tokens: 300,
      total_tokens: 316,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 9, rejected_prediction_tokens: 12 },
    },
    input: { input: 16 },
    output: 300,
    reasoning: 0,
  },
  "DeepSeek, nothing cached": {
    usage: { prompt_tokens: 9, prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 9, completion_tokens: 11 },
    input: { cache_miss: 9 },
    output: 11,
  },
  "DeepSeek, the hit told twice": {
    usage: {
      prompt_tokens: 339,
      completion_tokens: 92,
      total_tokens: 431,
      prompt_tokens_details: { cached_tokens: 320 },
      completion_tokens_details: { reasoning_tokens: 48 },
      prompt_cache_hit_tokens: 320,
      prompt_cache_miss_tokens: 19,
    },
    input: { cache_read: 320, cache_miss: 19 },
    output: 92,
    reasoning: 48,
  },
  "DeepSeek, no prompt_tokens": {
    usage: { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6, completion_tokens: 1 },
    input: { cache_read: 4, cache_miss: 6 },
    output: 1,
  },
  "misses that do not make up the prompt": {
    usage: { prompt_tokens: 100, prompt_cache_hit_tokens: 20, prompt_cache_miss_tokens: 33, completion_tokens: 1 },
    input: { input: 80, cache_read: 20 },
    output: 1,
  },
  "xAI, reasoning beside completion": {
    usage: {
      prompt_tokens: 100,
      completion_tokens: 30,
      total_tokens: 200,
      prompt_tokens_details: { cached_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 70 },
    },
    input: { input: 80, cache_read: 20 },
    output: 100,
    reasoning: 70,
  },
  "xAI, cached part outside the prompt": {
    usage: { prompt_tokens: 12, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 300 } },
    input: { input: 12, cache_read: 300 },
    output: 1,
  },
  "more reasoning than completion, and the total denies that it is beside": {
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      completion_tokens_details: { reasoning_tokens: 8 },
    },
    input: { input: 10 },
    output: 5,
    reasoning: 5,
  },
  "Mistral, num_cached_tokens": {
    usage: { prompt_tokens: 50, completion_tokens: 6, total_tokens: 56, num_cached_tokens: 32 },
    input: { input: 18, cache_read: 32 },
    output: 6,
  },
  "Mistral, prompt_token_details": {
    usage: { prompt_tokens: 50, completion_tokens: 6, prompt_token_details: { cached_tokens: 32 } },
    input: { input: 18, cache_read: 32 },
    output: 6,
  },
  "Moonshot, cached_tokens at the top": {
    usage: { prompt_tokens: 80, completion_tokens: 8, total_tokens: 88, cached_tokens: 64 },
    input: { input: 16, cache_read: 64 },
    output: 8,
  },
  "a zero in one place hides no count in another": {
    usage: { prompt_tokens: 80, completion_tokens: 8, cached_tokens: 64, prompt_tokens_details: { cached_tokens: 0 } },
    input: { input: 16, cache_read: 64 },
    output: 8,
  },
  "Groq, with its timings": {
    usage: {
      queue_time: 0.0415,
      prompt_tokens: 210,
      prompt_time: 0.0104,
      completion_tokens: 15,
      completion_time: 0.0466,
      total_tokens: 225,
      total_time: 0.057,
      prompt_tokens_details: { cached_tokens: 128 },
    },
    input: { input: 82, cache_read: 128 },
    output: 15,
  },
  "Alibaba, cache creation": {
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 40,
      prompt_tokens_details: { cached_tokens: 200, cache_creation_input_tokens: 700 },
    },
    input: { input: 100, cache_read: 200, cache_write: 700 },
    output: 40,
  },
  "OpenRouter, with its cost": {
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 40,
      prompt_tokens_details: { cached_tokens: 200, cache_write_tokens: 700 },
      cost: 0.0013,
      cost_details: { upstream_inference_cost: 0.0012 },
    },
    input: { input: 100, cache_read: 200, cache_write: 700 },
    output: 40,
  },
  "another gateway of this kind, cache_miss_tokens": {
    usage: {
      prompt_tokens: 50,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 20, cache_miss_tokens: 30 },
    },
    input: { cache_read: 20, cache_miss: 30 },
    output: 4,
  },
  "only the prompt": { usage: { prompt_tokens: 12, total_tokens: 12 }, input: { input: 12 }, output: null },
  "only the completion": { usage: { completion_tokens: 7 }, input: null, output: 7 },
  neither: { usage: { type: "duration", seconds: 37 }, input: null, output: null },
};

describe("readUsage", () => {
  test.each(Object.entries(examples))("%s", (_, { usage, input, output, reasoning }) => {
    const reported = readUsage(usage);
    expect(reported?.quantities).toEqual({ ...input, ...(output === null ? {} : { output }) });
    expect(reported?.input).toBe(input === null ? "none" : "final");
    expect(reported?.output).toBe(output === null ? "none" : "final");
    expect(reported?.reasoning ?? null).toBe(reasoning ?? null);
    expect(reported?.raw).toBe(usage);
  });

  test("finds nothing in anything but an object, or in an empty one", () => {
    for (const raw of [undefined, null, 7, "usage", true, [], {}]) expect(readUsage(raw)).toBeNull();
  });

  test("treats an invalid count as not reported, and keeps it raw", () => {
    for (const bad of ["12", -1, 1.5, Number.NaN, Infinity, 1e12, null, {}, [], true]) {
      expect(readUsage({ prompt_tokens: bad, completion_tokens: 3 })).toMatchObject({
        input: "none",
        quantities: { output: 3 },
      });
      expect(readUsage({ prompt_tokens: 3, completion_tokens: bad })).toMatchObject({ output: "none" });
      expect(readUsage({ prompt_tokens: bad })).toMatchObject({ input: "none", raw: { prompt_tokens: bad } });
      const details = { cached_tokens: bad, cache_write_tokens: bad, cache_miss_tokens: bad };
      expect(readUsage({ prompt_tokens: 3, prompt_tokens_details: details })?.quantities).toEqual({ input: 3 });
    }
  });
});

const count = fc.oneof(fc.nat(50), fc.nat(1_000_000));
const maybeCount = fc.option(fc.oneof(count, fc.constantFrom<unknown>("5", -3, 0.5, Number.NaN, 1e300)), {
  nil: undefined,
});
const anyUsage = fc.record({
  prompt_tokens: maybeCount,
  completion_tokens: maybeCount,
  total_tokens: maybeCount,
  cached_tokens: maybeCount,
  num_cached_tokens: maybeCount,
  prompt_cache_hit_tokens: maybeCount,
  prompt_cache_miss_tokens: maybeCount,
  prompt_tokens_details: fc.record({
    cached_tokens: maybeCount,
    cache_write_tokens: maybeCount,
    cache_creation_input_tokens: maybeCount,
    cache_miss_tokens: maybeCount,
  }),
  completion_tokens_details: fc.record({ reasoning_tokens: maybeCount }),
});

describe("whatever is reported", () => {
  test("no count is negative or fractional, and reasoning is part of the output", () => {
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const reported = readUsage(usage);
        const { quantities = {}, reasoning } = reported ?? {};
        for (const part of Object.values(quantities)) expect(Number.isInteger(part) && part >= 0).toBe(true);
        if (quantities.output !== undefined) expect(reasoning ?? 0).toBeLessThanOrEqual(quantities.output);
      }),
    );
  });

  test("the input side sums to the prompt, or to prompt and cache if the prompt cannot include it", () => {
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const { prompt_tokens: prompt } = usage;
        const quantities = readUsage(usage)?.quantities;
        if (!quantities || typeof prompt !== "number" || !Number.isInteger(prompt) || prompt < 0 || prompt > 1e9)
          return;
        const cached = (quantities.cache_read ?? 0) + (quantities.cache_write ?? 0);
        expect(sumOf(quantities, "token", "input")).toBe(cached <= prompt ? prompt : prompt + cached);
      }),
    );
  });

  test("xAI's reasoning is added, other vendors' is not", () => {
    fc.assert(
      fc.property(count, count, fc.integer({ min: 1, max: 10_000 }), (prompt, completion, reasoning) => {
        const usage = (total: number) => ({
          prompt_tokens: prompt,
          completion_tokens: completion + reasoning,
          total_tokens: total,
          completion_tokens_details: { reasoning_tokens: reasoning },
        });
        const inside = prompt + completion + reasoning;
        expect(readUsage(usage(inside))?.quantities.output).toBe(completion + reasoning);
        expect(readUsage(usage(inside + reasoning))?.quantities.output).toBe(completion + 2 * reasoning);
      }),
    );
  });
});

/** Every usage object in the recorded answers and streams of vendors that speak this dialect. */
function recordedUsages(): [string, Record<string, number>][] {
  const answers = ["openai", "xai", "deepseek", "groq", "mistral"].flatMap(recordedAnswers);
  return answers.flatMap(({ file, text }) => {
    const payloads = file.endsWith(".txt") ? recordedEvents(text).filter((line) => line.startsWith("{")) : [text];
    return payloads
      .map((payload) => JSON.parse(payload).usage)
      .filter((usage) => usage?.prompt_tokens !== undefined)
      .map((usage): [string, Record<string, number>] => [file, usage]);
  });
}

test("recorded usage adds up to the total that the vendor reported", () => {
  const usages = recordedUsages();
  expect(usages.length).toBeGreaterThan(5);
  for (const [file, usage] of usages) {
    const reported = readUsage(usage);
    const total = sumOf(reported?.quantities ?? {}, "token");
    expect({ file, total }).toEqual({ file, total: usage["total_tokens"] ?? 0 });
  }
});
