import type { DimensionName } from "../../dimensions.ts";

/**
 * Prices of vendors' public pages, in USD as the pages have them, with charges that were worked out by hand. They are the
 * prices of the day that is given, which the test does not need to be today's.
 */

export interface RealPrice {
  readonly model: string;
  /** In USD, as a configuration has it. */
  readonly prices: object;
  readonly used: Readonly<Partial<Record<DimensionName, number>>>;
  /** The sum of the lines in micro-USD, each worked out by hand and rounded half up by itself. */
  readonly lines: readonly number[];
  readonly tier?: string;
  /** `18:00`, by UTC. */
  readonly time?: string;
  readonly variant?: string;
}

const gpt5 = {
  input: 1.25,
  cache_read: 0.125,
  output: 10,
  web_search: 0.01,
  service_tiers: {
    flex: { input: 0.625, cache_read: 0.0625, output: 5 },
    priority: { input: 2.5, cache_read: 0.25, output: 20 },
    batch: { input: 0.625, output: 5 },
  },
};
const gptImage = {
  input: 5,
  cache_read: 1.25,
  input_image: 10,
  output_image: 40,
  image: { "low/1024x1024": 0.011, "medium/1024x1024": 0.042, "high/1024x1024": 0.167 },
};
const dallE3 = {
  image: { "standard/1024x1024": 0.04, "standard/1024x1792": 0.08, "hd/1024x1024": 0.08, "hd/1024x1792": 0.12 },
};
const sonnet45 = {
  input: 3,
  cache_write_5m: 3.75,
  cache_write_1h: 6,
  cache_read: 0.3,
  output: 15,
  web_search: 0.01,
  tiers: [
    { above_input_tokens: 200_000, input: 6, cache_write_5m: 7.5, cache_write_1h: 12, cache_read: 0.6, output: 22.5 },
  ],
};
const gemini25Pro = {
  input: 1.25,
  cache_read: 0.125,
  output: 10,
  tiers: [{ above_input_tokens: 200_000, input: 2.5, cache_read: 0.25, output: 15 }],
};
const deepseekV3 = {
  input: 0.27,
  cache_read: 0.07,
  output: 1.1,
  windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", input: 0.135, cache_read: 0.035, output: 0.55 }],
};
const deepseekR1 = {
  input: 0.55,
  cache_read: 0.14,
  output: 2.19,
  windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", input: 0.135, cache_read: 0.035, output: 0.55 }],
};
const grok4 = {
  input: 3,
  cache_read: 0.75,
  output: 15,
  tiers: [{ above_input_tokens: 128_000, input: 6, output: 30 }],
};
const qwen3Max = {
  input: 1.2,
  output: 6,
  tiers: [
    { above_input_tokens: 32_000, input: 2.4, output: 12 },
    { above_input_tokens: 128_000, input: 3, output: 15 },
  ],
};

/** By vendor, with the page and the month. */
export const vendors: Readonly<Record<string, readonly RealPrice[]>> = {
  "OpenAI, platform.openai.com/docs/pricing, November 2025": [
    {
      model: "gpt-5",
      prices: gpt5,
      used: { input: 10_000, cache_read: 40_000, output: 2_000 },
      lines: [12_500, 5_000, 20_000],
    },
    {
      model: "gpt-5, flex",
      prices: gpt5,
      tier: "flex",
      used: { input: 10_000, cache_read: 40_000, output: 2_000 },
      lines: [6_250, 2_500, 10_000],
    },
    {
      model: "gpt-5, priority",
      prices: gpt5,
      tier: "priority",
      used: { input: 10_000, cache_read: 40_000, output: 2_000 },
      lines: [25_000, 10_000, 40_000],
    },
    { model: "gpt-5, batch", prices: gpt5, tier: "batch", used: { input: 1_000, output: 1_000 }, lines: [625, 5_000] },
    {
      model: "gpt-5, with searches",
      prices: gpt5,
      used: { input: 1_000, output: 100, web_search: 3 },
      lines: [1_250, 1_000, 30_000],
    },
    // 2000.25, 25, 1002
    {
      model: "gpt-5-mini",
      prices: { input: 0.25, cache_read: 0.025, output: 2 },
      used: { input: 8_001, cache_read: 1_000, output: 501 },
      lines: [2_000, 25, 1_002],
    },
    // 166.65, 0.035, 1.2
    {
      model: "gpt-5-nano",
      prices: { input: 0.05, cache_read: 0.005, output: 0.4 },
      used: { input: 3_333, cache_read: 7, output: 3 },
      lines: [167, 0, 1],
    },
    {
      model: "gpt-5-pro",
      prices: { input: 15, output: 120 },
      used: { input: 2_000, output: 1_500 },
      lines: [30_000, 180_000],
    },
    {
      model: "gpt-4.1",
      prices: { input: 2, cache_read: 0.5, output: 8 },
      used: { input: 5_000, cache_read: 3_000, output: 700 },
      lines: [10_000, 1_500, 5_600],
    },
    // 2000.4, 1.1, 20.8
    {
      model: "gpt-4.1-mini",
      prices: { input: 0.4, cache_read: 0.1, output: 1.6 },
      used: { input: 5_001, cache_read: 11, output: 13 },
      lines: [2_000, 1, 21],
    },
    // 1.5, 0.5, 2
    {
      model: "gpt-4.1-nano",
      prices: { input: 0.1, cache_read: 0.025, output: 0.4 },
      used: { input: 15, cache_read: 20, output: 5 },
      lines: [2, 1, 2],
    },
    // 2792.5
    {
      model: "gpt-4o",
      prices: { input: 2.5, cache_read: 1.25, output: 10 },
      used: { input: 1_117, cache_read: 1_920, output: 46 },
      lines: [2_793, 2_400, 460],
    },
    {
      model: "gpt-4o-mini",
      prices: { input: 0.15, cache_read: 0.075, output: 0.6 },
      used: { input: 1_000_000, cache_read: 500_000, output: 250_000 },
      lines: [150_000, 37_500, 150_000],
    },
    // 0.5 of a micro-USD is one.
    {
      model: "o3",
      prices: { input: 2, cache_read: 0.5, output: 8 },
      used: { input: 75, cache_read: 1, output: 1_024 },
      lines: [150, 1, 8_192],
    },
    {
      model: "o4-mini",
      prices: { input: 1.1, cache_read: 0.275, output: 4.4 },
      used: { input: 910, cache_read: 40, output: 250 },
      lines: [1_001, 11, 1_100],
    },
    {
      model: "o1",
      prices: { input: 15, cache_read: 7.5, output: 60 },
      used: { input: 100, cache_read: 100, output: 1_000 },
      lines: [1_500, 750, 60_000],
    },
    {
      model: "gpt-audio",
      prices: { input: 2.5, output: 10, input_audio: 32, output_audio: 64 },
      used: { input: 500, input_audio: 1_000, output: 200, output_audio: 400 },
      lines: [1_250, 32_000, 2_000, 25_600],
    },
    {
      model: "gpt-4o-audio-preview",
      prices: { input: 2.5, output: 10, input_audio: 40, output_audio: 80 },
      used: { input: 100, input_audio: 800, output: 50, output_audio: 600 },
      lines: [250, 32_000, 500, 48_000],
    },
    {
      model: "gpt-4o-mini-audio-preview",
      prices: { input: 0.15, output: 0.6, input_audio: 10, output_audio: 20 },
      used: { input: 100, input_audio: 55, output: 10, output_audio: 21 },
      lines: [15, 550, 6, 420],
    },
    {
      model: "gpt-realtime",
      prices: { input: 4, cache_read: 0.4, output: 16, input_audio: 32, output_audio: 64, input_image: 5 },
      used: { input: 1_000, cache_read: 2_000, input_audio: 300, input_image: 400, output: 100, output_audio: 500 },
      lines: [4_000, 800, 9_600, 2_000, 1_600, 32_000],
    },
    {
      model: "gpt-4o-transcribe",
      prices: { input: 2.5, input_audio: 6, output: 10 },
      used: { input: 20, input_audio: 600, output: 120 },
      lines: [50, 3_600, 1_200],
    },
    {
      model: "gpt-image-1, by token",
      prices: gptImage,
      used: { input: 50, input_image: 323, output_image: 4_160 },
      lines: [250, 3_230, 166_400],
    },
    {
      model: "gpt-image-1, by picture",
      prices: gptImage,
      variant: "high/1024x1024",
      used: { image: 2 },
      lines: [334_000],
    },
    {
      model: "gpt-image-1, a plain picture",
      prices: gptImage,
      variant: "low/1024x1024",
      used: { image: 1 },
      lines: [11_000],
    },
    { model: "dall-e-3", prices: dallE3, variant: "hd/1024x1792", used: { image: 3 }, lines: [360_000] },
    // 0.006 USD a minute
    { model: "whisper-1", prices: { second: 0.0001 }, used: { second: 37.5 }, lines: [3_750] },
    { model: "tts-1", prices: { character: 15 }, used: { character: 1_234 }, lines: [18_510] },
    { model: "tts-1-hd", prices: { character: 30 }, used: { character: 77 }, lines: [2_310] },
    { model: "text-embedding-3-small", prices: { input: 0.02 }, used: { input: 1_250 }, lines: [25] },
    // 162.5
    { model: "text-embedding-3-large", prices: { input: 0.13 }, used: { input: 1_250 }, lines: [163] },
    {
      model: "sora-2",
      prices: { video_second: { "720x1280": 0.1, "1280x720": 0.1 } },
      variant: "720x1280",
      used: { video_second: 8 },
      lines: [800_000],
    },
    {
      model: "sora-2-pro",
      prices: { video_second: { "720x1280": 0.3, "1024x1792": 0.5 } },
      variant: "1024x1792",
      used: { video_second: 12 },
      lines: [6_000_000],
    },
  ],
  "Anthropic, docs.claude.com/en/docs/about-claude/pricing, November 2025": [
    {
      model: "claude-opus-4-1",
      prices: { input: 15, cache_write_5m: 18.75, cache_write_1h: 30, cache_read: 1.5, output: 75 },
      used: { input: 1_000, cache_read: 10_000, cache_write_5m: 2_000, cache_write_1h: 1_000, output: 500 },
      lines: [15_000, 15_000, 37_500, 30_000, 37_500],
    },
    {
      model: "claude-opus-4-5",
      prices: { input: 5, cache_write_5m: 6.25, cache_write_1h: 10, cache_read: 0.5, output: 25 },
      used: { input: 1_000, cache_read: 10_000, cache_write_5m: 800, cache_write_1h: 300, output: 400 },
      lines: [5_000, 5_000, 5_000, 3_000, 10_000],
    },
    // 200,000 tokens of input in all
    {
      model: "claude-sonnet-4-5",
      prices: sonnet45,
      used: { input: 10_000, cache_read: 150_000, cache_write_5m: 40_000, output: 1_000 },
      lines: [30_000, 45_000, 150_000, 15_000],
    },
    // and 200,001
    {
      model: "claude-sonnet-4-5, long",
      prices: sonnet45,
      used: { input: 10_001, cache_read: 150_000, cache_write_5m: 40_000, output: 1_000 },
      lines: [60_006, 90_000, 300_000, 22_500],
    },
    {
      model: "claude-sonnet-4-5, long, kept for an hour",
      prices: sonnet45,
      used: { cache_write_1h: 200_001, output: 10 },
      lines: [2_400_012, 225],
    },
    {
      model: "claude-sonnet-4-5, with searches",
      prices: sonnet45,
      used: { input: 500, output: 200, web_search: 2 },
      lines: [1_500, 3_000, 20_000],
    },
    // 0.5, 3.75
    {
      model: "claude-haiku-4-5",
      prices: { input: 1, cache_write_5m: 1.25, cache_write_1h: 2, cache_read: 0.1, output: 5 },
      used: { input: 7, cache_read: 5, cache_write_5m: 3, cache_write_1h: 1, output: 11 },
      lines: [7, 1, 4, 2, 55],
    },
    // 987.2
    {
      model: "claude-haiku-3-5",
      prices: { input: 0.8, cache_write_5m: 1, cache_write_1h: 1.6, cache_read: 0.08, output: 4 },
      used: { input: 1_234, cache_read: 1_000, cache_write_5m: 10, cache_write_1h: 10, output: 99 },
      lines: [987, 80, 10, 16, 396],
    },
    // 83.25, 1.5
    {
      model: "claude-haiku-3",
      prices: { input: 0.25, cache_write_5m: 0.3, cache_write_1h: 0.5, cache_read: 0.03, output: 1.25 },
      used: { input: 333, cache_read: 50, cache_write_5m: 100, cache_write_1h: 100, output: 8 },
      lines: [83, 2, 30, 50, 10],
    },
  ],
  "Google, ai.google.dev/gemini-api/docs/pricing, November 2025": [
    {
      model: "gemini-2.5-pro",
      prices: gemini25Pro,
      used: { input: 150_000, cache_read: 50_000, output: 3_000 },
      lines: [187_500, 6_250, 30_000],
    },
    // 375002.5
    {
      model: "gemini-2.5-pro, long",
      prices: gemini25Pro,
      used: { input: 150_001, cache_read: 50_000, output: 3_000 },
      lines: [375_003, 12_500, 45_000],
    },
    {
      model: "gemini-2.5-flash",
      prices: { input: 0.3, input_audio: 1, cache_read: 0.03, output: 2.5 },
      used: { input: 1_000, cache_read: 500, input_audio: 2_000, output: 400 },
      lines: [300, 15, 2_000, 1_000],
    },
    // 99.9, 9.6, 2.8
    {
      model: "gemini-2.5-flash-lite",
      prices: { input: 0.1, input_audio: 0.3, cache_read: 0.01, output: 0.4 },
      used: { input: 999, input_audio: 32, output: 7 },
      lines: [100, 10, 3],
    },
    {
      model: "gemini-2.0-flash",
      prices: { input: 0.1, input_audio: 0.7, cache_read: 0.025, output: 0.4 },
      used: { input: 1_000, cache_read: 40, input_audio: 250, output: 10 },
      lines: [100, 1, 175, 4],
    },
    {
      model: "gemini-2.5-flash-image",
      prices: { input: 0.3, output: 2.5, output_image: 30 },
      used: { input: 260, output_image: 1_290 },
      lines: [78, 38_700],
    },
    {
      model: "gemini-2.5-flash-native-audio",
      prices: { input: 0.5, input_audio: 3, output: 2, output_audio: 12 },
      used: { input: 100, input_audio: 1_500, output: 20, output_audio: 750 },
      lines: [50, 4_500, 40, 9_000],
    },
    {
      model: "gemini-3-pro-preview, long",
      prices: {
        input: 2,
        cache_read: 0.2,
        output: 12,
        tiers: [{ above_input_tokens: 200_000, input: 4, cache_read: 0.4, output: 18 }],
      },
      used: { input: 200_001, output: 100 },
      lines: [800_004, 1_800],
    },
    // 307.2
    { model: "gemini-embedding-001", prices: { input: 0.15 }, used: { input: 2_048 }, lines: [307] },
    { model: "imagen-4.0-generate-001", prices: { image: 0.04 }, used: { image: 4 }, lines: [160_000] },
    { model: "veo-3.0-generate-001", prices: { video_second: 0.4 }, used: { video_second: 8 }, lines: [3_200_000] },
  ],
  "DeepSeek, api-docs.deepseek.com/quick_start/pricing, March and November 2025": [
    {
      model: "deepseek-chat (V3.2)",
      prices: { cache_miss: 0.28, cache_read: 0.028, output: 0.42 },
      used: { cache_read: 9_000, cache_miss: 1_000, output: 500 },
      lines: [252, 280, 210],
    },
    {
      model: "deepseek-chat (V3)",
      prices: deepseekV3,
      time: "12:00",
      used: { cache_read: 2_000, cache_miss: 1_000, output: 300 },
      lines: [140, 270, 330],
    },
    {
      model: "deepseek-chat (V3), off-peak",
      prices: deepseekV3,
      time: "18:00",
      used: { cache_read: 2_000, cache_miss: 1_000, output: 300 },
      lines: [70, 135, 165],
    },
    // 0.35, 135.135
    {
      model: "deepseek-reasoner (R1), just off-peak",
      prices: deepseekR1,
      time: "00:29",
      used: { cache_read: 10, cache_miss: 1_001, output: 100 },
      lines: [0, 135, 55],
    },
    // 1.4, 550.55
    {
      model: "deepseek-reasoner (R1), no longer",
      prices: deepseekR1,
      time: "00:30",
      used: { cache_read: 10, cache_miss: 1_001, output: 100 },
      lines: [1, 551, 219],
    },
  ],
  "xAI, docs.x.ai/docs/models, November 2025": [
    {
      model: "grok-4",
      prices: grok4,
      used: { input: 100_000, cache_read: 28_000, output: 1_000 },
      lines: [300_000, 21_000, 15_000],
    },
    {
      model: "grok-4, long",
      prices: grok4,
      used: { input: 100_001, cache_read: 28_000, output: 1_000 },
      lines: [600_006, 21_000, 30_000],
    },
    {
      model: "grok-4-fast",
      prices: { input: 0.2, cache_read: 0.05, output: 0.5 },
      used: { input: 1_000, cache_read: 300, output: 50 },
      lines: [200, 15, 25],
    },
    // 0.9, 4.5
    {
      model: "grok-code-fast-1",
      prices: { input: 0.2, cache_read: 0.02, output: 1.5 },
      used: { input: 55, cache_read: 45, output: 3 },
      lines: [11, 1, 5],
    },
  ],
  "Mistral, mistral.ai/pricing, November 2025": [
    { model: "mistral-large", prices: { input: 2, output: 6 }, used: { input: 123, output: 45 }, lines: [246, 270] },
    { model: "mistral-medium-3", prices: { input: 0.4, output: 2 }, used: { input: 7, output: 9 }, lines: [3, 18] },
    { model: "codestral", prices: { input: 0.3, output: 0.9 }, used: { input: 5, output: 5 }, lines: [2, 5] },
  ],
  "others, on their pages in November 2025": [
    {
      model: "Groq, llama-3.3-70b-versatile",
      prices: { input: 0.59, output: 0.79 },
      used: { input: 1_000, output: 1_000 },
      lines: [590, 790],
    },
    // 192.5
    {
      model: "Cohere, command-a",
      prices: { input: 2.5, output: 10 },
      used: { input: 77, output: 3 },
      lines: [193, 30],
    },
    { model: "Cohere, rerank-v3.5", prices: { search_unit: 0.002 }, used: { web_search: 5 }, lines: [10_000] },
    {
      model: "Perplexity, sonar",
      prices: { input: 1, output: 1, request: 0.005 },
      used: { input: 20, output: 300 },
      lines: [20, 300, 5_000],
    },
    {
      model: "Perplexity, sonar-pro",
      prices: { input: 3, output: 15, request: 0.006 },
      used: { input: 20, output: 400 },
      lines: [60, 6_000, 6_000],
    },
    { model: "Alibaba, qwen3-max", prices: qwen3Max, used: { input: 32_000, output: 10 }, lines: [38_400, 60] },
    // 76802.4
    { model: "Alibaba, qwen3-max, long", prices: qwen3Max, used: { input: 32_001, output: 10 }, lines: [76_802, 120] },
    {
      model: "Moonshot, kimi-k2",
      prices: { input: 0.6, cache_read: 0.15, output: 2.5 },
      used: { input: 10, cache_read: 20, output: 4 },
      lines: [6, 3, 10],
    },
  ],
};
