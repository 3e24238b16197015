import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { chunksOf, expectGoodEnd, idOf } from "../sse-text.testkit.ts";

/** Usage and charges of JSON and streams, and their records. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe("usage in a stream", () => {
  const places = ["empty_choices", "no_choices", "last_choice"];
  const cases = places.flatMap((place) => [false, true].map((asked) => [place, asked] as const));

  test.each(cases)("%s, asked: %p", async (usage_place, asked) => {
    const sandbox = { usage_place, tokens: { input: 100, output: 20 } };
    const response = await gateway.chat({
      stream: true,
      sandbox,
      ...(asked ? { stream_options: { include_usage: true } } : {}),
    });
    const text = await response.text();
    expectGoodEnd(text);
    const carriers = chunksOf(text).filter((each) => each.usage);
    expect(carriers.length).toBe(asked || usage_place === "last_choice" ? 1 : 0);
    // The choice with the usage was not delayed.
    expect(chunksOf(text).some((each) => each.choices?.[0]?.finish_reason === "stop")).toBe(true);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      stream: true,
      usage: { prompt_tokens: 100, completion_tokens: 20, measurement: { input: "provider", output: "provider" } },
      billing: { amount_microusd: 25 + 40, status: "charged" },
    });
  });

  test("no usage: estimated and marked", async () => {
    for (const stream of [true, false]) {
      const response = await gateway.chat({ stream, sandbox: { usage: null, text: "one two three" } });
      await response.text();
      const record = await gateway.record(idOf(response));
      expect(record).toMatchObject({
        status: "succeeded",
        usage: { completion_tokens: 3, measurement: { input: "local_estimate", output: "local_estimate" } },
        provider_usage: { family: "openai-chat", raw_fields: {} },
      });
      expect(record.usage.prompt_tokens).toBeGreaterThan(0);
    }
  });

  const tokens = { input: 1_000, cache_read: 400, cache_write: 100, output: 50, reasoning: 30 };
  const variants: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    openai: { input: 600, cache_read: 400, output: 50 },
    openai_cache_write: { input: 500, cache_read: 400, cache_write: 100, output: 50 },
    deepseek: { cache_read: 400, cache_miss: 600, output: 50 },
    xai: { input: 600, cache_read: 400, output: 50 },
    mistral: { input: 600, cache_read: 400, output: 50 },
    moonshot: { input: 600, cache_read: 400, output: 50 },
    groq: { input: 600, cache_read: 400, output: 50 },
    alibaba: { input: 500, cache_read: 400, cache_write: 100, output: 50 },
    openrouter: { input: 500, cache_read: 400, cache_write: 100, output: 50 },
    zeros: {},
  };

  test.each(Object.entries(variants))("%s: the same dimensions in JSON and in a stream", async (variant, expected) => {
    for (const stream of [true, false]) {
      const response = await gateway.chat({ stream, sandbox: { usage: variant, tokens } });
      await response.text();
      const record = await gateway.record(idOf(response));
      const counted = record.usage.dimensions.filter(({ quantity }) => quantity > 0);
      expect(Object.fromEntries(counted.map(({ name, quantity }) => [name, quantity]))).toEqual(expected);
      expect(record.usage.measurement).toEqual({ input: "provider", output: "provider" });
      expect(record.provider_usage.raw_fields).not.toEqual({});
      expect(record.billing.line_items.reduce((sum, item) => sum + item.amount_microusd, 0)).toBe(
        record.billing.amount_microusd,
      );
    }
  });

  test.each([
    ["prompt_only", { input: "provider", output: "local_estimate" }],
    ["completion_only", { input: "local_estimate", output: "provider" }],
    ["strings", { input: "local_estimate", output: "local_estimate" }],
  ])("%s: the missing side is estimated", async (variant, measurement) => {
    const response = await gateway.chat({
      stream: true,
      sandbox: { usage: variant, tokens, usage_place: "empty_choices" },
    });
    await response.text();
    expect(await gateway.record(idOf(response))).toMatchObject({ usage: { measurement } });
  });
});

describe("the record", () => {
  test("is there right after the last byte, for fifty concurrent requests", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await gateway.chat({ stream: index % 2 === 0, sandbox: { chunks: 3 } });
        await response.text();
        return (await gateway.record(idOf(response))).status;
      }),
    );
    expect(statuses).toEqual(Array(50).fill("succeeded"));
  });

  test("is also found by the response id, newest first, and only with the same key", async () => {
    const sandbox = { id: "chatcmpl-of-a-test" };
    const first = await gateway.chat({ sandbox });
    await first.text();
    const second = await gateway.chat({ stream: true, sandbox });
    await second.text();
    expect((await gateway.record(sandbox.id)).id).toBe(idOf(second) ?? "");
    const { key } = await gateway.newKey();
    for (const id of [sandbox.id, idOf(first)]) {
      const lookup = await gateway.fetch(`/api/usage/requests/${id}`, { headers: { authorization: `Bearer ${key}` } });
      expect(lookup.status).toBe(404);
      expect(await lookup.json()).toMatchObject({ error: { type: "not_found_error", code: "request_not_found" } });
    }
  });
});
