import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { PriceFileError, readPriceFile } from "./price-file.ts";
import { readPriceMap } from "./read-price-map.ts";

const litellm = (file: object | string) => {
  return readPriceMap(typeof file === "string" ? file : JSON.stringify(file), "litellm");
};
const modelsDev = (file: object) => readPriceMap(JSON.stringify(file), "models.dev");

describe("LiteLLM's map", () => {
  test("has prices of single tokens, of both lifetimes of caches, and of kinds of tokens", () => {
    const { table, problems } = litellm({
      sample_spec: { input_cost_per_token: "a float", mode: "one of ..." },
      "claude-sonnet-4-5": {
        cache_creation_input_token_cost: 3.75e-6,
        cache_creation_input_token_cost_above_1hr: 6e-6,
        cache_read_input_token_cost: 3e-7,
        input_cost_per_token: 3e-6,
        litellm_provider: "anthropic",
        max_tokens: 64000,
        mode: "chat",
        output_cost_per_token: 1.5e-5,
        search_context_cost_per_query: { search_context_size_low: 0.01, search_context_size_medium: 0.02 },
        supports_vision: true,
      },
      "gpt-audio": {
        input_cost_per_token: 2.5e-6,
        output_cost_per_token: 1e-5,
        input_cost_per_audio_token: 3.2e-5,
        output_cost_per_audio_token: 6.4e-5,
        input_cost_per_image_token: 1e-5,
        output_cost_per_image_token: 4e-5,
        mode: "chat",
      },
    });
    expect(problems).toEqual([]);
    expect(table).toEqual({
      source: "litellm",
      date: null,
      vendors: [],
      models: {
        "claude-sonnet-4-5": {
          input: 3_000_000,
          output: 15_000_000,
          cache_read: 300_000,
          // The lifetime that is not told is the usual one.
          cache_write: 3_750_000,
          cache_write_5m: 3_750_000,
          cache_write_1h: 6_000_000,
          web_search: 20_000,
        },
        "gpt-audio": {
          input: 2_500_000,
          output: 10_000_000,
          input_audio: 32_000_000,
          output_audio: 64_000_000,
          input_image: 10_000_000,
          output_image: 40_000_000,
        },
      },
    });
  });

  test("has tiers by size, service tiers, and tiers of these", () => {
    const { table, problems } = litellm({
      m: {
        input_cost_per_token: 1.25e-6,
        output_cost_per_token: 1e-5,
        input_cost_per_token_above_200k_tokens: 2.5e-6,
        output_cost_per_token_above_200k_tokens: 1.5e-5,
        cache_creation_input_token_cost_above_200k_tokens: 7.5e-6,
        input_cost_per_token_above_128k_tokens: 2e-6,
        input_cost_per_token_batches: 6.25e-7,
        output_cost_per_token_batches: 5e-6,
        input_cost_per_token_priority: 2.5e-6,
        input_cost_per_token_flex: 6e-7,
        input_cost_per_token_above_200k_tokens_priority: 5e-6,
      },
    });
    expect(problems).toEqual([]);
    expect(table.models["m"]).toEqual({
      input: 1_250_000,
      output: 10_000_000,
      tiers: [
        { above_input_tokens: 128_000, input: 2_000_000 },
        {
          above_input_tokens: 200_000,
          input: 2_500_000,
          output: 15_000_000,
          cache_write: 7_500_000,
          cache_write_5m: 7_500_000,
        },
      ],
      service_tiers: {
        batch: { input: 625_000, output: 5_000_000 },
        priority: { input: 2_500_000, tiers: [{ above_input_tokens: 200_000, input: 5_000_000 }] },
        flex: { input: 600_000 },
      },
    });
  });

  test("has pictures, seconds, characters, searches and ranges of prompt size", () => {
    const { table, problems } = litellm({
      image: { output_cost_per_image: 0.04, mode: "image_generation" },
      whisper: { input_cost_per_second: 0.0001, output_cost_per_second: 0.0001, mode: "audio_transcription" },
      "groq/whisper": { input_cost_per_second: 3.083e-5, mode: "audio_transcription" },
      speech: { input_cost_per_character: 1.5e-5, mode: "audio_speech" },
      video: { output_cost_per_second: 0.1, mode: "video_generation" },
      search: { input_cost_per_query: 0.005, mode: "search" },
      embedding: { input_cost_per_token: 2e-8, output_cost_per_token: 0.0, mode: "embedding" },
      qwen: {
        mode: "chat",
        tiered_pricing: [
          { range: [0, 32000], input_cost_per_token: 1.2e-6, output_cost_per_token: 6e-6 },
          { range: [32000.0, 128000], input_cost_per_token: 2.4e-6, output_cost_per_token: 1.2e-5 },
        ],
      },
    });
    expect(problems).toEqual([]);
    expect(table.models).toEqual({
      image: { image: 40_000 },
      whisper: { second: 100 },
      "groq/whisper": { second: "0.00003083" },
      speech: { character: 15_000_000 },
      video: { video_second: 100_000 },
      search: { web_search: 5_000 },
      embedding: { input: 20_000, output: 0 },
      qwen: {
        input: 1_200_000,
        output: 6_000_000,
        tiers: [{ above_input_tokens: 32_000, input: 2_400_000, output: 12_000_000 }],
      },
    });
  });

  test.each<[string, object | string, string, string]>([
    [
      "a negative price",
      { m: { input_cost_per_token: -1e-6, output_cost_per_token: 0 } },
      "m.input_cost_per_token",
      "-0.000001",
    ],
    ["NaN", '{"m":{"input_cost_per_token":NaN,"output_cost_per_token":0}}', "m.input_cost_per_token", "found NaN"],
    [
      "Infinity",
      '{"m":{"input_cost_per_token":1,"output_cost_per_token":-Infinity}}',
      "m.output_cost_per_token",
      "-Infinity",
    ],
    [
      "a text",
      { m: { input_cost_per_token: "1e-6", output_cost_per_token: 0 } },
      "m.input_cost_per_token",
      'the text "1e-6"',
    ],
    [
      "a price of one token that is too fine",
      { m: { input_cost_per_token: 1e-19, output_cost_per_token: 0 } },
      "m.input_cost_per_token",
      "12 decimals",
    ],
    [
      "a price that is too high",
      { m: { input_cost_per_token: 2, output_cost_per_token: 0 } },
      "m.input_cost_per_token",
      "found 2",
    ],
    ["no output price", { m: { input_cost_per_token: 1e-6 } }, "m.output_cost_per_token", "is missing"],
    ["no input price", { m: { output_cost_per_token: 1e-6, mode: "chat" } }, "m.input_cost_per_token", "is missing"],
    ["no price", { m: { litellm_provider: "openai", mode: "chat" } }, "m", "no price that is known here"],
    ["no map", { m: 3 }, "m", "no map of prices"],
    [
      "a range without a beginning",
      { m: { input_cost_per_token: 1e-6, output_cost_per_token: 0, tiered_pricing: [{ range: [] }] } },
      "m.tiered_pricing[0].range",
      "no range",
    ],
    [
      "a name with a control character",
      { "a\u0007": { input_cost_per_token: 1e-6, output_cost_per_token: 0 } },
      "a?",
      "control characters",
    ],
  ])("%s is a problem that names the field, and its model is left out", (_, file, path, message) => {
    const { table, problems } = litellm(file);
    expect(problems).toContainEqual({ path, message: expect.stringContaining(message) });
    expect(Object.keys(table.models)).toEqual([]);
  });

  test("prices of twelve decimals are exact, and finer ones are refused", () => {
    const file = (output: string) => `{"m":{"input_cost_per_token":0.000000000001,"output_cost_per_token":${output}}}`;
    expect(litellm(file("0.000001234567")).table.models["m"]).toEqual({ input: 1, output: 1_234_567 });
    // Of a million tokens: twelve decimals again.
    expect(litellm(file("0.000000000000123456")).table.models["m"]).toEqual({ input: 1, output: "0.000000123456" });
    expect(litellm(file("0.0000000000001234567")).problems).toHaveLength(1);
  });

  test("names that mean something in JavaScript are names like any other", () => {
    const { table } = litellm(
      '{"__proto__":{"input_cost_per_token":1e-6,"output_cost_per_token":0},"constructor":{"input_cost_per_token":1e-6,"output_cost_per_token":0}}',
    );
    expect(Object.keys(table.models)).toEqual(["__proto__", "constructor"]);
  });
});

describe("the map of models.dev", () => {
  test("has prices of a million tokens by provider, and long prompts", () => {
    const { table, problems } = modelsDev({
      google: {
        id: "google",
        name: "Google",
        models: {
          "gemini-2.5-pro": {
            id: "gemini-2.5-pro",
            cost: {
              input: 1.25,
              output: 10,
              cache_read: 0.31,
              reasoning: 10,
              context_over_200k: { input: 2.5, output: 15, cache_read: 0.625 },
            },
            limit: { context: 1048576 },
          },
        },
      },
      anthropic: {
        models: { "claude-x": { cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, input_audio: 7 } } },
      },
      reseller: {
        models: {
          "claude-x": {
            cost: { input: 4, output: 16, tiers: [{ input: 8, output: 24, tier: { type: "context", size: 272000 } }] },
          },
        },
      },
    });
    expect(problems).toEqual([]);
    const gemini = {
      input: 1_250_000,
      output: 10_000_000,
      cache_read: 310_000,
      tiers: [{ above_input_tokens: 200_000, input: 2_500_000, output: 15_000_000, cache_read: 625_000 }],
    };
    expect(table.models).toEqual({
      "google/gemini-2.5-pro": gemini,
      "anthropic/claude-x": {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        input_audio: 7_000_000,
      },
      "reseller/claude-x": {
        input: 4_000_000,
        output: 16_000_000,
        tiers: [{ above_input_tokens: 272_000, input: 8_000_000, output: 24_000_000 }],
      },
      // Two providers have the other at different prices.
      "gemini-2.5-pro": gemini,
    });
  });

  test.each<[string, object, string, string]>([
    ["no models", { a: { id: "a" } }, "a.models", "is missing"],
    ["no map", { a: [] }, "a", "no map with models"],
    ["no cost", { a: { models: { m: {} } } }, "a.models.m.cost", "is missing"],
    ["no output price", { a: { models: { m: { cost: { input: 1 } } } } }, "a.models.m.cost.output", "is missing"],
    [
      "a negative price",
      { a: { models: { m: { cost: { input: 1, output: -2 } } } } },
      "a.models.m.cost.output",
      "found -2",
    ],
    [
      "a tier without a size",
      { a: { models: { m: { cost: { input: 1, output: 2, tiers: [{ input: 2 }] } } } } },
      "a.models.m.cost.tiers[0].tier.size",
      "no number",
    ],
  ])("%s is a problem that names the field", (_, file, path, message) => {
    const { table, problems } = modelsDev(file);
    expect(problems).toContainEqual({ path, message: expect.stringContaining(message) });
    expect(table.models).toEqual({});
  });
});

describe("a file that cannot be read", () => {
  test.each([
    [
      "a duplicate model",
      '{"m":{},\n"n":{},\n"m":{}}',
      "Line 3: found the duplicate name 'm'; allowed: each name once.",
    ],
    [
      "a duplicate price",
      '{"m":{"input_cost_per_token":1,"input_cost_per_token":2}}',
      "duplicate name 'input_cost_per_token'",
    ],
    ["the same name spelt with an escape", '{"m":{},"\\u006d":{}}', "duplicate name 'm'"],
    ["a cut file", '{"m":{"input_cost_per_token":1', "allowed: "],
    ["something after the end", '{"m":{}} {}', "nothing after it"],
    ["no JSON", "models: []", "Line 1"],
    ["a word", '{"m":maybe}', "a JSON value"],
    ["a number in hexadecimal", '{"m":0x10}', "a JSON value"],
    ["an open text", '{"m', "JSON"],
    ["nothing", "", "more of the file"],
    ["a list", "[]", "no map of models"],
    ["too many levels", "[".repeat(70), "at most 64 levels"],
  ])("%s is refused", (_, text, message) => {
    expect(() => litellm(text)).toThrow(PriceFileError);
    expect(() => litellm(text)).toThrow(message);
  });

  test("any JSON is read as JSON.parse reads it, but for the numbers, which are read as they are written", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(0, 1, 2), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const again: unknown = JSON.parse(
          JSON.stringify(readPriceFile(JSON.stringify(value, null, indent))),
          (_, each) => {
            return typeof each === "object" && each !== null && Object.keys(each).join() === "text"
              ? Number(each.text)
              : each;
          },
        );
        expect(JSON.stringify(again)).toBe(JSON.stringify(value));
      }),
    );
  });
});
