import * as fc from "fast-check";
import { arbitraryAttribution } from "../attribution/attribution.testkit.ts";
import { nextRequestId } from "./example-record.testkit.ts";
import type { UsageRecord } from "./record.ts";

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const milliseconds = fc.nat({ max: 900_000 });
const text = fc.string({ unit: "binary", maxLength: 80 }).map((value) => value.toWellFormed().replaceAll("\0", ""));

const tokenDimensions = fc.record({
  input: count,
  cache_read: fc.option(count),
  cache_write: fc.option(count),
  cache_write_5m: fc.option(count),
  cache_write_1h: fc.option(count),
  cache_miss: fc.option(count),
  output: count,
});

const otherDimensions = fc.subarray([
  { name: "web_search", quantity: 2, unit: "search_unit" },
  { name: "second", quantity: 12.25, unit: "second" },
  { name: "image", quantity: 1, unit: "image" },
] as const);

const lineItem = fc.record({
  dimension: fc.constantFrom("input", "output", "cache_read", "second", "markup"),
  quantity: count,
  unit: fc.constantFrom("1M_tokens", "second"),
  unitSize: fc.constantFrom(1, 1_000_000),
  unitMicrousd: count,
  amountMicrousd: count,
});

const source = fc.constantFrom("provider", "local_estimate", "unavailable");

const plainRecord: fc.Arbitrary<UsageRecord> = fc.record({
  id: fc.constant(null).map(nextRequestId),
  responseId: fc.option(text),
  keyId: fc.constantFrom("k123456789", "k987654321"),
  accountId: fc.constantFrom("default", "team-a"),
  heldMicrousd: fc.nat({ max: 1_000_000_000 }),
  createdAt: fc.nat({ max: 4_102_444_800_000 }),
  model: text,
  endpoint: fc.constantFrom("/v1/chat/completions", "/v1/search"),
  stream: fc.boolean(),
  status: fc.constantFrom("succeeded", "failed", "cancelled", "refused", "pending"),
  error: fc.option(fc.record({ type: fc.constantFrom("upstream_error", "server_error"), code: fc.option(text) })),
  usage: fc.record({
    dimensions: fc
      .tuple(tokenDimensions, otherDimensions)
      .map(([tokens, others]) => [
        ...Object.entries(tokens).flatMap(([name, quantity]) =>
          quantity === null ? [] : [{ name: name as keyof typeof tokens, quantity, unit: "token" as const }],
        ),
        ...others,
      ]),
    measurement: fc.record({ input: source, output: source }),
  }),
  billing: fc.record(
    {
      status: fc.constantFrom("charged", "free", "unpriced", "refunded"),
      amountMicrousd: count,
      pricingVersion: fc.nat(),
      lineItems: fc.array(lineItem, { maxLength: 3 }),
      suspect: fc.constant(true as const),
      cacheSavedMicrousd: fc.integer({ min: 1, max: 1_000_000 }),
    },
    { requiredKeys: ["status", "amountMicrousd", "pricingVersion", "lineItems"] },
  ),
  routing: fc.record({
    strategyName: fc.constant("direct"),
    resolvedModel: fc.option(text.map((value) => value.slice(0, 40))),
    provider: fc.option(fc.constant("openai")),
    statusCode: fc.integer({ min: 100, max: 599 }),
    latencyMs: milliseconds,
    timeToFirstByteMs: fc.option(milliseconds),
    upstreamMs: fc.option(milliseconds),
    attempts: fc.nat({ max: 9 }),
  }),
  attempts: fc.array(
    fc.record({
      model: text,
      provider: fc.constant("openai"),
      upstreamModel: text,
      outcome: fc.constantFrom("answered", "failed", "lost", "cancelled"),
      status: fc.option(fc.integer({ min: 100, max: 599 })),
      error: fc.option(fc.constantFrom("timeout", "server_error")),
      words: fc.option(fc.record({ code: fc.option(text), message: fc.option(text) })),
      startedMs: fc.option(milliseconds),
      latencyMs: milliseconds,
      costMicrousd: count,
      cost: fc.constantFrom("none", "measured", "estimated"),
    }),
    { maxLength: 3 },
  ),
  providerUsage: fc.option(
    fc.record({
      family: fc.constantFrom("openai-chat", "gemini"),
      // Text that JSON can carry, as in a provider's answer.
      rawFields: fc
        .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
        .map((fields) => JSON.parse(JSON.stringify(fields))),
    }),
  ),
  attribution: arbitraryAttribution,
});

/** Any record that the gateway could write, for tests. */
export const arbitraryRecord: fc.Arbitrary<UsageRecord> = fc
  .tuple(plainRecord, fc.boolean())
  .map(([record, hasBodies]) => (hasBodies ? { ...record, bodies: "kept" } : record));
