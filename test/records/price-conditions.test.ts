import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { importPrices } from "../../src/billing/price-lists/change-prices.ts";
import type { PriceDocument } from "../../src/billing/prices/price-document.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type AnsweringUpstream, startAnsweringUpstream } from "./answering-upstream.testkit.ts";
import { startTestGateway, type TestGateway, type TestRecord } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { tester } from "../../src/changes/actor.testkit.ts";

/** What an answer says decides its price: its size, service tier, kinds of tokens, and the provider's own cost. */

let upstream: AnsweringUpstream;
let gateway: TestGateway;

const night = Date.UTC(2026, 10, 22, 23, 0);
const clock = { now: () => night };

const base = { input: 1_000_000, output: 10_000_000 } satisfies PriceDocument;
const prices: Record<string, PriceDocument | null> = {
  tiered: {
    ...base,
    cache_read: 100_000,
    tiers: [{ above_input_tokens: 200_000, input: 2_000_000, output: 15_000_000 }],
  },
  served: { ...base, service_tiers: { flex: { input: 500_000, output: 5_000_000 }, priority: { input: 3_000_000 } } },
  traffic: { ...base, service_tiers: { ON_DEMAND_FLEX: { input: 400_000 } } },
  windowed: { ...base, windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", input: 600_000 }] },
  elsewhere: { ...base, windows: [{ from: "16:30", to: "00:30", time_zone: "Asia/Shanghai", input: 600_000 }] },
  heard: {
    ...base,
    input_audio: 32_000_000,
    output_audio: 64_000_000,
    input_image: 5_000_000,
    output_image: 40_000_000,
  },
  unheard: base,
  passed: { ...base, cost: "provider" },
  requested: { ...base, request: 1_000 },
  unpriced: null,
  "gpt-5-mini": null,
};

beforeAll(async () => {
  upstream = startAnsweringUpstream();
  const apiKeys = ["key"];
  gateway = await startTestGateway({
    clock: { now: () => Date.now() - started + clock.now() },
    providers: () => [
      { id: "chat", dialects: ["openai-chat"], baseUrl: `${upstream.url}/v1`, apiKeys },
      { id: "responses", dialects: ["openai-responses"], baseUrl: `${upstream.url}/v1`, apiKeys },
      { id: "messages", dialects: ["anthropic-messages"], baseUrl: upstream.url, apiKeys },
      { id: "gemini", dialects: ["gemini"], baseUrl: `${upstream.url}/v1beta`, apiKeys },
    ],
    models: Object.entries(prices).flatMap(([id, document]) =>
      ["chat", "responses", "messages", "gemini"].map((provider) => ({
        id: provider === "chat" ? id : `${provider}/${id}`,
        targets: [{ provider, model: id }],
        prices: document,
        contextLength: null,
        maxOutputTokens: null,
      })),
    ),
  });
});

const started = Date.now();

afterAll(async () => {
  await gateway.stop();
  upstream.stop();
});

interface Said {
  readonly usage: object;
  readonly tier?: string;
}

function completion({ usage, tier }: Said) {
  const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
  return {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices,
    usage,
    ...(tier && { service_tier: tier }),
  };
}

/** Asks a model for an answer that says this, and returns its record. */
async function ask(model: string, said: Said, stream = false): Promise<TestRecord> {
  const [provider, name] = model.includes("/") ? model.split("/") : ["chat", model];
  set(provider ?? "", said, stream);
  const response = await gateway.chat({ model: provider === "chat" ? name : model, stream });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return gateway.record(idOf(response));
}

function set(provider: string, { usage, tier }: Said, stream: boolean): void {
  if (provider === "chat" && stream) {
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", service_tier: tier };
    const choices = [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
    upstream.stream("/chat/completions", [{ ...chunk, choices }, { ...chunk, choices: [], usage }, "[DONE]"]);
  } else if (provider === "chat") upstream.answer("/chat/completions", completion({ usage, ...(tier && { tier }) }));
  else if (provider === "responses") {
    const content = [{ type: "output_text", text: "Hi", annotations: [] }];
    const output = [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }];
    const rest = { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "m" };
    upstream.answer("/responses", { ...rest, output, usage, service_tier: tier ?? "default" });
  } else if (provider === "messages") {
    const content = [{ type: "text", text: "Hi" }];
    const rest = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" };
    upstream.answer("/messages", { ...rest, content, usage: { ...usage, service_tier: tier } });
  } else {
    const candidates = [{ index: 0, content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }];
    upstream.answer(":generateContent", { candidates, usageMetadata: { ...usage, trafficType: tier } });
  }
}

const chatUsage = (input: number, output: number, more: object = {}) => {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...more };
};
const lines = ({ billing }: TestRecord) => {
  return Object.fromEntries(billing.line_items.map((line) => [line.dimension, [line.quantity, line.unit_microusd]]));
};

describe("size", () => {
  test("200,000 tokens of input are the base price, 200,001 the tier's, cached ones counted", async () => {
    expect(lines(await ask("tiered", { usage: chatUsage(200_000, 10) }))).toEqual({
      input: [200_000, 1_000_000],
      output: [10, 10_000_000],
    });
    const cached = { prompt_tokens_details: { cached_tokens: 100_000 } };
    const record = await ask("tiered", { usage: chatUsage(200_001, 10, cached) });
    expect(lines(record)).toEqual({
      input: [100_001, 2_000_000],
      cache_read: [100_000, 100_000],
      output: [10, 15_000_000],
    });
    expect(record.billing.amount_microusd).toBe(200_002 + 10_000 + 150);
  });
});

describe("service tier, in the answer's own word", () => {
  test.each([false, true])("in a chat completion, streamed: %p", async (stream) => {
    const priced = async (tier?: string) => {
      return lines(await ask("served", { usage: chatUsage(10, 5), ...(tier && { tier }) }, stream));
    };
    expect(await priced("flex")).toEqual({ input: [10, 500_000], output: [5, 5_000_000] });
    expect(await priced("priority")).toEqual({ input: [10, 3_000_000], output: [5, 10_000_000] });
    expect(await priced("default")).toEqual({ input: [10, 1_000_000], output: [5, 10_000_000] });
    expect(await priced()).toEqual({ input: [10, 1_000_000], output: [5, 10_000_000] });
  });

  test("in Responses, in Messages, and in Gemini's traffic type", async () => {
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    expect(lines(await ask("responses/served", { usage, tier: "flex" }))).toMatchObject({ input: [10, 500_000] });
    expect(lines(await ask("messages/served", { usage, tier: "priority" }))).toMatchObject({ input: [10, 3_000_000] });
    const metadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const gemini = await ask("gemini/traffic", { usage: metadata, tier: "ON_DEMAND_FLEX" });
    expect(lines(gemini)).toMatchObject({ input: [10, 400_000] });
  });

  test("that is no text is none", async () => {
    upstream.answer("/chat/completions", { ...completion({ usage: chatUsage(10, 5) }), service_tier: { flex: 1 } });
    const response = await gateway.chat({ model: "served" });
    expect(lines(await gateway.record(idOf(response)))).toMatchObject({ input: [10, 1_000_000] });
  });
});

test("the hour at which a request begins, in the time zone of its window", async () => {
  expect(lines(await ask("windowed", { usage: chatUsage(10, 5) }))).toMatchObject({ input: [10, 600_000] });
  // 23:00 UTC is 7:00 in Shanghai.
  expect(lines(await ask("elsewhere", { usage: chatUsage(10, 5) }))).toMatchObject({ input: [10, 1_000_000] });
});

describe("sound and pictures", () => {
  const openai = chatUsage(100, 50, {
    prompt_tokens_details: {
      cached_tokens: 20,
      audio_tokens: 60,
      image_tokens: 10,
      cached_tokens_details: { audio_tokens: 5 },
    },
    completion_tokens_details: { audio_tokens: 30, image_tokens: 4, reasoning_tokens: 0 },
  });
  const apart = {
    input: [15, 1_000_000],
    cache_read: [20, 1_000_000],
    input_audio: [55, 32_000_000],
    input_image: [10, 5_000_000],
    output: [16, 10_000_000],
    output_audio: [30, 64_000_000],
    output_image: [4, 40_000_000],
  };

  test.each([false, true])(
    "are dimensions of their own if the model prices them apart, streamed: %p",
    async (stream) => {
      const record = await ask("heard", { usage: openai }, stream);
      expect(lines(record)).toEqual(apart);
      expect(record.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 });
      expect(record.usage.dimensions.map(({ name }) => name)).toEqual([
        "input",
        "cache_read",
        "input_audio",
        "input_image",
        "output",
        "output_audio",
        "output_image",
      ]);
    },
  );

  test("are part of input and output if not", async () => {
    expect(lines(await ask("unheard", { usage: openai }))).toEqual({
      input: [80, 1_000_000],
      cache_read: [20, 1_000_000],
      output: [50, 10_000_000],
    });
  });

  test("are told by Responses and by Gemini too", async () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 50,
      input_tokens_details: { cached_tokens: 0, image_tokens: 70 },
      output_tokens_details: { image_tokens: 50 },
    };
    expect(lines(await ask("responses/heard", { usage }))).toEqual({
      input: [30, 1_000_000],
      input_image: [70, 5_000_000],
      output_image: [50, 40_000_000],
    });
    const metadata = {
      promptTokenCount: 100,
      candidatesTokenCount: 50,
      totalTokenCount: 150,
      cachedContentTokenCount: 30,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 20 },
        { modality: "AUDIO", tokenCount: 80 },
      ],
      cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 30 }],
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 50 }],
    };
    expect(lines(await ask("gemini/heard", { usage: metadata }))).toEqual({
      input: [20, 1_000_000],
      cache_read: [30, 1_000_000],
      input_audio: [50, 32_000_000],
      output_image: [50, 40_000_000],
    });
  });

  test("that are more than there is, or no counts, make no token", async () => {
    const usage = chatUsage(10, 5, {
      prompt_tokens_details: { audio_tokens: 999, image_tokens: "7" },
      completion_tokens_details: { audio_tokens: -3, image_tokens: 1e18 },
    });
    expect(lines(await ask("heard", { usage }))).toEqual({ input_audio: [10, 32_000_000], output: [5, 10_000_000] });
  });
});

describe("the provider's own cost", () => {
  test.each([false, true])("is passed through, streamed: %p", async (stream) => {
    const record = await ask("passed", { usage: chatUsage(10, 5, { cost: 0.0123456 }) }, stream);
    expect(record.billing).toMatchObject({ status: "charged", amount_microusd: 12_346 });
    expect(lines(record)).toEqual({ provider_cost: [0.0123456, 1_000_000] });
    expect(record.usage.total_tokens).toBe(15);
  });

  test.each([
    ["none", {}],
    ["a text", { cost: "0.01" }],
    ["less than nothing", { cost: -1 }],
    ["10^18", { cost: 1e18 }],
  ])("%s leaves it to the prices", async (_, cost) => {
    const record = await ask("passed", { usage: chatUsage(10, 5, cost) });
    expect(record.billing.amount_microusd).toBe(60);
  });
});

test("a price of the request is added to each", async () => {
  const record = await ask("requested", { usage: chatUsage(10, 5) });
  expect(lines(record)).toMatchObject({ request: [1, 1_000] });
  expect(record.billing.amount_microusd).toBe(1_060);
});

test("a model that the bundled table knows has a price out of the box", async () => {
  const record = await ask("gpt-5-mini", { usage: chatUsage(1_000_000, 1_000_000) });
  expect(record.billing).toMatchObject({ status: "charged", amount_microusd: 2_250_000 });
  expect((await ask("unpriced", { usage: chatUsage(10, 5) })).billing.status).toBe("unpriced");
});

test("a change is in force at once, but not for a request in flight", async () => {
  const release = upstream.hold();
  set("chat", { usage: chatUsage(1_000, 0) }, false);
  const pending = gateway.chat({ model: "unpriced" });
  await upstream.asked;
  const storage = await openStorage(gateway.storageUrl);
  try {
    const table = { source: "litellm", date: null, models: { unpriced: { input: 5_000_000, output: 0 } }, vendors: [] };
    const { change } = await importPrices(storage.prices, table, { by: tester, author: "ann", note: "test" });
    const catalog = async () => (await gateway.fetch("/api/models/catalog")).text();
    const isTakenUp = async () => (await catalog()).includes(`"pricing_version":${change.version}`);
    const deadline = Date.now() + 5_000;
    while (!(await isTakenUp()) && Date.now() < deadline) await Bun.sleep(20);
    expect(await isTakenUp()).toBe(true);
    release();
    const response = await pending;
    await response.arrayBuffer();
    expect((await gateway.record(idOf(response))).billing).toMatchObject({
      status: "unpriced",
      pricing_version: change.version - 1,
    });
    const next = await ask("unpriced", { usage: chatUsage(1_000, 0) });
    expect(next.billing).toMatchObject({ amount_microusd: 5_000, pricing_version: change.version });
  } finally {
    release();
    await storage.close();
  }
});
