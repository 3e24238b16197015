import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/json/values.ts";
import { callers, type Caller } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post, requestIdOf, scripted } from "../dialects/post.testkit.ts";
import { dataOf } from "../sse-text.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** Token counts of providers of each dialect, in the caller's terms and in the record. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

/** `input` includes both cache counts, `output` includes reasoning. */
const tokens = { input: 100, cache_read: 40, cache_write: 5, output: 30, reasoning: 10 };

/** The counts that each provider reports: not all report cache writes. */
const written = { "openai-chat": 5, "openai-responses": 5, "anthropic-messages": 5, gemini: 0 } as const;
const writtenAs = {
  "openai-chat": "cache_write",
  "openai-responses": "cache_write",
  "anthropic-messages": "cache_write_5m",
  gemini: "none",
} as const;

/** The expected usage for each caller. */
function expected(caller: Caller, cacheWrite: number): object {
  switch (caller.name) {
    case "chat":
      return {
        prompt_tokens: 100,
        completion_tokens: 30,
        total_tokens: 130,
        prompt_tokens_details: { cached_tokens: 40, ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}) },
        completion_tokens_details: { reasoning_tokens: 10 },
      };
    case "responses":
      return {
        input_tokens: 100,
        output_tokens: 30,
        total_tokens: 130,
        input_tokens_details: { cached_tokens: 40, ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}) },
        output_tokens_details: { reasoning_tokens: 10 },
      };
    case "messages":
      return { input_tokens: 60 - cacheWrite, cache_read_input_tokens: 40, output_tokens: 30 };
    default:
      return {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 10,
        totalTokenCount: 130,
      };
  }
}

interface AnyUsage {
  readonly usage?: JsonObject | null;
  readonly usageMetadata?: JsonObject;
  readonly response?: { readonly usage?: JsonObject | null };
}

/** The last usage in an answer, JSON or streamed. */
function usageIn(caller: Caller, body: string): JsonObject | undefined {
  const streamed = body.startsWith("data:") || body.startsWith("event:");
  const said = (
    streamed
      ? dataOf(body)
          .filter((data) => data !== "[DONE]")
          .map((data) => JSON.parse(data) as AnyUsage)
      : [JSON.parse(body) as AnyUsage | AnyUsage[]].flat()
  ).map(({ usage, usageMetadata, response }) => usage ?? usageMetadata ?? response?.usage ?? undefined);
  const told = said.filter((usage) => usage !== undefined);
  // Later counts of a message replace earlier ones.
  return caller.name === "messages" ? Object.assign({}, ...told) : told.at(-1);
}

describe.each(callers.map((caller) => [caller.name, caller] as const))("to a caller of %s", (_name, caller) => {
  const cases = dialects.flatMap((dialect) => [false, true].map((stream) => [dialect, stream] as const));

  test.each(cases)("from %s (stream: %p)", async (dialect, stream) => {
    const usage = dialect.startsWith("openai") ? { usage: "openai_cache_write" } : {};
    const more = caller.name === "chat" && stream ? { stream_options: { include_usage: true } } : {};
    const prompt = scripted({ tokens, text: "Counted.", ...usage });
    const response = await post(gateway, caller, modelOf(dialect), prompt, { stream, more });
    expect(usageIn(caller, await response.text())).toMatchObject(expected(caller, written[dialect]));

    const record = await gateway.record(requestIdOf(response));
    const cacheWrite = written[dialect];
    expect(Object.fromEntries(record.usage.dimensions.map(({ name, quantity }) => [name, quantity]))).toEqual({
      input: 60 - cacheWrite,
      cache_read: 40,
      ...(cacheWrite > 0 ? { [writtenAs[dialect]]: cacheWrite } : {}),
      output: 30,
    });
    expect(record.usage.prompt_tokens).toBe(100);
  });

  test("missing usage is estimated", async () => {
    for (const dialect of dialects) {
      const prompt = scripted({ usage: null, text: "Uncounted." });
      const response = await post(gateway, caller, modelOf(dialect), prompt, { stream: true });
      await response.text();
      const record = await gateway.record(requestIdOf(response));
      expect(record.usage.measurement).toEqual({ input: "local_estimate", output: "local_estimate" });
      expect(record.usage.prompt_tokens).toBeGreaterThan(0);
      expect(record.usage.completion_tokens).toBeGreaterThan(0);
    }
  });
});

test("a cache write of one hour has its own price, and the breakpoint is forwarded", async () => {
  const block = { type: "text", text: "Long.", cache_control: { type: "ephemeral", ttl: "1h" } };
  const response = await gateway.fetch("/v1/messages", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: modelOf("anthropic-messages"),
      max_tokens: 100,
      system: [block],
      messages: [{ role: "user", content: scripted({ tokens }) }],
    }),
  });
  expect(await response.json()).toMatchObject({ usage: { cache_creation: { ephemeral_1h_input_tokens: 5 } } });
  const record = await gateway.record(requestIdOf(response));
  expect(record.usage.dimensions).toContainEqual({ name: "cache_write_1h", quantity: 5, unit: "token" });
});
