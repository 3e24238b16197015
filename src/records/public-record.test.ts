import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { encodeRecord } from "./public-record.ts";
import { arbitraryRecord } from "./arbitrary-record.testkit.ts";
import { exampleRecord } from "./example-record.testkit.ts";

describe("encodeRecord", () => {
  test("has the documented shape", () => {
    const shown: unknown = encodeRecord(exampleRecord({ id: "req_1" }));
    expect(shown).toEqual({
      object: "usage.request",
      id: "req_1",
      created_at: 1_700_000_000,
      model: "gpt-5-mini",
      endpoint: "/v1/chat/completions",
      status: "succeeded",
      stream: false,
      error: null,
      usage: {
        prompt_tokens: 1_024,
        completion_tokens: 250,
        total_tokens: 1_274,
        measurement: { input: "provider", output: "provider" },
        dimensions: [
          { name: "input", quantity: 1_000, unit: "token" },
          { name: "cache_read", quantity: 24, unit: "token" },
          { name: "output", quantity: 250, unit: "token" },
        ],
      },
      billing: {
        currency: "USD",
        amount_microusd: 751,
        pricing_version: 3,
        status: "charged",
        line_items: [
          { ...line("input", 1_000), unit_microusd: 250_000, amount_microusd: 250 },
          { ...line("cache_read", 24), unit_microusd: 25_000, amount_microusd: 1 },
          { ...line("output", 250), unit_microusd: 2_000_000, amount_microusd: 500 },
        ],
        account: "default",
        held_microusd: 0,
      },
      routing: {
        strategy_name: "direct",
        requested_model: "gpt-5-mini",
        resolved_model: "gpt-5-mini",
        chose_provider: "openai",
        status_code: 200,
        latency_ms: 812,
        time_to_first_byte_ms: 305,
        upstream_ms: 790,
        attempts: 1,
      },
      provider_usage: {
        family: "openai-chat",
        raw_fields: { prompt_tokens: 1_024, completion_tokens: 250, prompt_tokens_details: { cached_tokens: 24 } },
      },
      attribution: { tags: {}, end_user: null, session: null },
      log_id: "req_1",
    });
  });

  test("tells for whom the request was", () => {
    const attribution = { tags: '{"env":"prod","team":"search"}', endUser: "ada", session: "s-1" };
    expect(encodeRecord(exampleRecord({ attribution })).attribution).toEqual({
      tags: { env: "prod", team: "search" },
      end_user: "ada",
      session: "s-1",
    });
  });

  test("hides the provider's identity if configured", () => {
    expect(encodeRecord(exampleRecord(), { hideProvider: true }).routing.chose_provider).toBeNull();
  });

  test("a request that reached no provider has an empty provider_usage of no family", () => {
    const refused = exampleRecord({
      status: "refused",
      error: { type: "not_found_error", code: null },
      providerUsage: null,
    });
    expect(encodeRecord(refused)).toMatchObject({
      error: { type: "not_found_error", code: null },
      provider_usage: { family: "none", raw_fields: {} },
    });
  });

  test("counts only tokens as tokens", () => {
    const usage = {
      dimensions: [
        { name: "web_search", quantity: 2, unit: "search_unit" },
        { name: "cache_miss", quantity: 5, unit: "token" },
        { name: "output", quantity: 1, unit: "token" },
      ],
      measurement: { input: "provider", output: "local_estimate" },
    } as const;
    const encoded = encodeRecord(exampleRecord({ usage })).usage;
    expect(encoded).toMatchObject({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 });
    expect(encoded.dimensions.map((dimension) => dimension.name)).toEqual(["cache_miss", "output", "web_search"]);
  });

  test("is the same for any order of dimensions, and loses none", () => {
    fc.assert(
      fc.property(arbitraryRecord, (record) => {
        const { dimensions } = record.usage;
        const reversed = { ...record, usage: { ...record.usage, dimensions: dimensions.toReversed() } };
        const token = dimensions.filter((dimension) => dimension.unit === "token");
        const encoded = encodeRecord(record);
        expect(encoded.usage.total_tokens).toBe(encoded.usage.prompt_tokens + encoded.usage.completion_tokens);
        expect(new Set(encodeRecord(reversed).usage.dimensions)).toEqual(new Set(dimensions));
        expect(encodeRecord(reversed).usage.dimensions.slice(0, token.length)).toEqual(
          encoded.usage.dimensions.slice(0, token.length),
        );
      }),
    );
  });

  test("raw fields that were left out are marked", () => {
    const providerUsage = { family: "gemini", rawFields: {}, omitted: true };
    expect(encodeRecord(exampleRecord({ providerUsage })).provider_usage).toEqual({
      family: "gemini",
      raw_fields: {},
      raw_fields_omitted: true,
    });
    expect(encodeRecord(exampleRecord()).provider_usage).not.toHaveProperty("raw_fields_omitted");
  });
});

function line(dimension: string, quantity: number) {
  return { dimension, quantity, unit: "1M_tokens", unit_size: 1_000_000 };
}
