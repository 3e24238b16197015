import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callers } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post, requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway, TestRecord } from "../gateway.testkit.ts";

/** Counts that providers report: only final and possible ones are charged. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

/** Streams until `words` have come, leaves, and gives the record. */
async function leaveAfter(caller: (typeof callers)[number], model: string, script: object): Promise<TestRecord> {
  const controller = new AbortController();
  const response = await gateway.fetch(caller.path(model, true), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(caller.body(model, scripted(script), { stream: true })),
    signal: controller.signal,
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let heard = "";
  while (!heard.includes("river")) {
    const piece = await reader?.read();
    if (!piece?.value) throw new Error(`The stream ended too early: ${heard}`);
    heard += decoder.decode(piece.value, { stream: true });
  }
  controller.abort();
  return gateway.eventualRecord(requestIdOf(response));
}

describe("a stream that its caller leaves is charged for what was produced", () => {
  const chunks = ["one", " two", " three", " four", " five", " six", " seven", " eight", " river"];
  const rest = Array.from({ length: 40 }, () => " sea");
  const script = {
    chunks: [...chunks, ...rest],
    tokens: { input: 100, output: 30 },
    fault: { kind: "stall", after: 20 },
  };
  const cases = callers.flatMap((caller) => dialects.map((dialect) => [caller.name, dialect, caller] as const));

  test.each(cases)("%s from %s", async (_name, dialect, caller) => {
    const record = await leaveAfter(caller, modelOf(dialect), script);
    expect(record).toMatchObject({ status: "cancelled", usage: { measurement: { output: "local_estimate" } } });
    expect(record.usage.completion_tokens).toBeGreaterThanOrEqual(7);
    expect(record.billing.amount_microusd).toBeGreaterThanOrEqual(2 * record.usage.completion_tokens);
  });
});

describe("a count that cannot be is not reported", () => {
  /** Usage of each dialect with this count on both sides. */
  const usages = {
    "openai-chat": (count: unknown) => ({ prompt_tokens: count, completion_tokens: count, total_tokens: count }),
    "openai-responses": (count: unknown) => ({ input_tokens: count, output_tokens: count, total_tokens: count }),
    "anthropic-messages": (count: unknown) => ({
      input_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      output_tokens: count,
      server_tool_use: { web_search_requests: count },
    }),
    gemini: (count: unknown) => ({ promptTokenCount: count, candidatesTokenCount: count, totalTokenCount: count }),
  };
  const counts = [2 ** 53, Number.MAX_SAFE_INTEGER, 1e25, -5, 1.5, "12", true, [1], {}];
  const cases = dialects.flatMap((dialect) => [false, true].map((stream) => [dialect, stream] as const));

  test.each(cases)("%s (stream: %p)", async (dialect, stream) => {
    for (const caller of callers) {
      for (const count of counts) {
        const prompt = scripted({ text: "Hello.", usage: usages[dialect](count) });
        const response = await post(gateway, caller, modelOf(dialect), prompt, { stream });
        expect(response.status).toBe(200);
        await response.text();
        const record = await gateway.record(requestIdOf(response));
        expect(record.usage.measurement).toEqual({ input: "local_estimate", output: "local_estimate" });
        expect(record.usage.dimensions.map(({ name }) => name)).toEqual(["input", "output"]);
        expect(record.usage.total_tokens).toBeLessThan(1_000);
      }
    }
  });
});

test("searches that a provider ran are a dimension, marked if the model has no price for them", async () => {
  const usage = { input_tokens: 100, output_tokens: 10, server_tool_use: { web_search_requests: 3 } };
  for (const stream of [false, true]) {
    for (const caller of callers) {
      const response = await post(gateway, caller, modelOf("anthropic-messages"), scripted({ usage }), { stream });
      await response.text();
      const { usage: used, billing } = await gateway.record(requestIdOf(response));
      expect(used.dimensions).toContainEqual({ name: "web_search", quantity: 3, unit: "search_unit" });
      expect(billing).toMatchObject({ status: "unpriced", amount_microusd: 120 });
      expect(billing.line_items).toContainEqual(
        expect.objectContaining({ dimension: "web_search", quantity: 3, unit: "search_unit", amount_microusd: 0 }),
      );
    }
  }
});

describe("tokens per minute", () => {
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const bodies = {
    chat: {
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } }] },
      ],
    },
    responses: {
      input: [{ role: "user", content: [{ type: "input_image", image_url: `data:image/png;base64,${pixel}` }] }],
    },
    messages: {
      max_tokens: 1,
      messages: [
        {
          role: "user",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: pixel } }],
        },
      ],
    },
  };
  const paths = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages" };

  test.each(["chat", "responses", "messages"] as const)("an image is booked alike (%s)", async (name) => {
    // 765 tokens of the image, 7 of the form, and what may be written.
    const booked = name === "messages" ? 773 : 772;
    const ask = async (tokensPerMinute: number) => {
      const key = await gateway.newKey({ limits: { tokensPerMinute } });
      return gateway.fetch(paths[name], {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key.key}` },
        body: JSON.stringify({ model: modelOf("openai-responses"), ...bodies[name] }),
      });
    };
    expect(await (await ask(booked - 1)).text()).toContain(`${booked - 1} tokens per minute`);
    expect((await ask(booked)).status).toBe(200);
  });

  test("what n answers may write is booked n times", async () => {
    const key = await gateway.newKey({ limits: { tokensPerMinute: 1_000 } });
    const ask = (n: number) =>
      gateway.fetch("/v1/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key.key}` },
        body: JSON.stringify({
          model: modelOf("openai-chat"),
          n,
          max_tokens: 300,
          messages: [{ role: "user", content: "Hi" }],
        }),
      });
    expect((await ask(5)).status).toBe(400);
    expect((await ask(2)).status).toBe(200);
  });
});
