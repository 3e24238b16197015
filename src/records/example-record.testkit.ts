import { unattributed } from "../attribution/attribution.ts";
import { compactRecord } from "./compact-record.ts";
import type { UsageRecord } from "./record.ts";
import type { RecordStore } from "./record-store.ts";

/** A plain record for tests, with an id of its own. */
export function exampleRecord(change: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id: nextRequestId(),
    responseId: "chatcmpl-9xYzAbCdEf",
    keyId: "k123456789",
    accountId: "default",
    heldMicrousd: 0,
    createdAt: 1_700_000_000_123,
    model: "gpt-5-mini",
    endpoint: "/v1/chat/completions",
    stream: false,
    status: "succeeded",
    error: null,
    usage: {
      dimensions: [
        { name: "input", quantity: 1_000, unit: "token" },
        { name: "cache_read", quantity: 24, unit: "token" },
        { name: "output", quantity: 250, unit: "token" },
      ],
      measurement: { input: "provider", output: "provider" },
    },
    billing: {
      status: "charged",
      amountMicrousd: 751,
      pricingVersion: 3,
      lineItems: [
        {
          dimension: "input",
          quantity: 1_000,
          unit: "1M_tokens",
          unitSize: 1_000_000,
          unitMicrousd: 250_000,
          amountMicrousd: 250,
        },
        {
          dimension: "cache_read",
          quantity: 24,
          unit: "1M_tokens",
          unitSize: 1_000_000,
          unitMicrousd: 25_000,
          amountMicrousd: 1,
        },
        {
          dimension: "output",
          quantity: 250,
          unit: "1M_tokens",
          unitSize: 1_000_000,
          unitMicrousd: 2_000_000,
          amountMicrousd: 500,
        },
      ],
    },
    routing: {
      strategyName: "direct",
      resolvedModel: "gpt-5-mini",
      provider: "openai",
      statusCode: 200,
      latencyMs: 812,
      timeToFirstByteMs: 305,
      upstreamMs: 790,
      attempts: 1,
    },
    attempts: [
      {
        model: "gpt-5-mini",
        provider: "openai",
        upstreamModel: "gpt-5-mini-2026",
        outcome: "answered",
        status: 200,
        error: null,
        words: null,
        startedMs: null,
        latencyMs: 790,
        costMicrousd: 751,
        cost: "measured",
      },
    ],
    providerUsage: {
      family: "openai-chat",
      rawFields: { prompt_tokens: 1_024, completion_tokens: 250, prompt_tokens_details: { cached_tokens: 24 } },
    },
    attribution: unattributed,
    ...change,
  };
}

let lastRequest = 0;

/** A request id that sorts after all that were given before. */
export function nextRequestId(): string {
  lastRequest += 1;
  return `req_${lastRequest.toString().padStart(26, "0")}`;
}

/** Puts records into a store. */
export function insertRecords(store: RecordStore, records: readonly UsageRecord[]): void | Promise<void> {
  return store.insertAll(records.map(compactRecord));
}
