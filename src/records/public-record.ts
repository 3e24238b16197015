import { type Tags, textToTags } from "../attribution/attribution.ts";
import type { LineItem } from "../billing/prices/prices.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import { dimensionNames, type Side, sideOf } from "../dimensions.ts";
import type { Dimension, Measurement } from "../metering/usage.ts";
import type { RecordAttempt, RecordStatus, UsageRecord } from "./record.ts";

/** A usage record as callers see it. Its names and types are public and never change. */
export interface PublicRecord {
  readonly object: "usage.request";
  readonly id: string;
  /** Unix seconds. */
  readonly created_at: number;
  readonly model: string;
  readonly endpoint: string;
  readonly status: RecordStatus;
  readonly stream: boolean;
  readonly error: { readonly type: string; readonly code: string | null } | null;
  readonly usage: {
    /** Everything read. */
    readonly prompt_tokens: number;
    /** Everything written, reasoning included. */
    readonly completion_tokens: number;
    readonly total_tokens: number;
    /** Null if nothing of the request is counted in tokens. */
    readonly measurement: Measurement | null;
    readonly dimensions: readonly Dimension[];
  };
  readonly billing: {
    readonly currency: "USD";
    readonly amount_microusd: number;
    readonly pricing_version: number;
    readonly status: UsageRecord["billing"]["status"];
    readonly line_items: readonly PublicLineItem[];
    /** The account that is charged. */
    readonly account: string;
    /** What was held of a prepaid balance while the request ran. */
    readonly held_microusd: number;
    /** The reported usage was beyond what is possible, and was bounded. */
    readonly suspect?: true;
    /** What cached input would have come to as input, less what it came to; absent if that is 0. */
    readonly cache_saved_microusd?: number;
  };
  readonly routing: {
    readonly strategy_name: string;
    readonly requested_model: string;
    readonly resolved_model: string | null;
    readonly chose_provider: string | null;
    readonly status_code: number;
    readonly latency_ms: number;
    readonly time_to_first_byte_ms: number | null;
    readonly upstream_ms: number | null;
    readonly attempts: number;
  };
  readonly provider_usage: {
    readonly family: string;
    readonly raw_fields: Readonly<Record<string, unknown>>;
    /** There were raw fields, and they were too long to keep. */
    readonly raw_fields_omitted?: true;
  };
  /** How a search backend was chosen; absent for requests that are no searches. */
  readonly route_receipt?: JsonObject;
  /** For whom the request was made, as far as its key and its caller say. */
  readonly attribution: {
    readonly tags: Tags;
    readonly end_user: string | null;
    readonly session: string | null;
  };
  /** What was sent and answered was kept, and may still be found at `/api/usage/requests/{id}/bodies`. */
  readonly bodies?: "kept";
  /** The record is the log entry: the same as `id`. */
  readonly log_id: string;
}

export interface PublicLineItem {
  readonly dimension: LineItem["dimension"];
  readonly quantity: number;
  readonly unit: string;
  readonly unit_size: number;
  readonly unit_microusd: number;
  readonly amount_microusd: number;
}

export interface EncodeOptions {
  /** Says null for `chose_provider`, and nothing of a provider's usage that names it. */
  readonly hideProvider?: boolean;
}

/**
 * The JSON of `GET /api/usage/requests/{id}`. `provider_usage` is always an object: where no provider was called, which
 * has a family of "none", or it reported nothing, its `raw_fields` are empty.
 */
export function encodeRecord(record: UsageRecord, { hideProvider = false }: EncodeOptions = {}): PublicRecord {
  const { billing, routing, providerUsage, usage, attribution } = record;
  const promptTokens = tokens(usage.dimensions, "input");
  const completionTokens = tokens(usage.dimensions, "output");
  const shownUsage = hideProvider && namedByUsage.has(record.endpoint) ? null : providerUsage;
  return {
    object: "usage.request",
    id: record.id,
    created_at: Math.floor(record.createdAt / 1000),
    model: record.model,
    endpoint: record.endpoint,
    status: record.status,
    stream: record.stream,
    error: record.error === null ? null : { type: record.error.type, code: record.error.code },
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      measurement: usage.measurement && { input: usage.measurement.input, output: usage.measurement.output },
      dimensions: usage.dimensions.map(encodeDimension).sort(byShownOrder),
    },
    billing: {
      currency: "USD",
      amount_microusd: billing.amountMicrousd,
      pricing_version: billing.pricingVersion,
      status: billing.status,
      line_items: billing.lineItems.map(encodeLineItem),
      account: record.accountId,
      held_microusd: record.heldMicrousd,
      ...(billing.suspect && { suspect: true as const }),
      ...(billing.cacheSavedMicrousd !== undefined && { cache_saved_microusd: billing.cacheSavedMicrousd }),
    },
    routing: {
      strategy_name: routing.strategyName,
      requested_model: record.model,
      resolved_model: routing.resolvedModel,
      chose_provider: hideProvider ? null : routing.provider,
      status_code: routing.statusCode,
      latency_ms: routing.latencyMs,
      time_to_first_byte_ms: routing.timeToFirstByteMs,
      upstream_ms: routing.upstreamMs,
      attempts: routing.attempts,
    },
    provider_usage: {
      family: shownUsage?.family ?? "none",
      raw_fields: shownUsage?.rawFields ?? {},
      ...(shownUsage?.omitted && { raw_fields_omitted: true }),
    },
    ...(record.routeReceipt && { route_receipt: shownReceipt(record.routeReceipt, hideProvider) }),
    attribution: {
      tags: textToTags(attribution.tags),
      end_user: attribution.endUser,
      session: attribution.session,
    },
    ...(record.bodies && { bodies: record.bodies }),
    log_id: record.id,
  };
}

/** Endpoints whose family of usage is the name of the provider itself. */
const namedByUsage: ReadonlySet<string> = new Set(["/v1/search", "/v1/fetch"]);

function shownReceipt(receipt: JsonObject, hideProvider: boolean): JsonObject {
  if (!hideProvider) return receipt;
  const { searches } = receipt;
  if (!Array.isArray(searches)) return { ...receipt, chose_provider: null };
  // Searches within a conversation have a receipt each.
  return { ...receipt, searches: searches.map((each) => (isObject(each) ? shownReceipt(each, true) : each)) };
}

/** A record as operators see it: whose it is, and every upstream call it led to. */
export interface OperatorRecord extends PublicRecord {
  readonly key_id: string;
  readonly attempts: readonly {
    readonly model: string;
    readonly provider: string | null;
    readonly upstream_model: string | null;
    readonly outcome: RecordAttempt["outcome"];
    readonly status_code: number | null;
    readonly error: string | null;
    readonly provider_code: string | null;
    readonly provider_message: string | null;
    /** From the arrival of the request. Null for a single attempt that began at once, and in records of older versions. */
    readonly started_after_ms: number | null;
    readonly latency_ms: number;
    readonly provider_cost_microusd: number;
    readonly provider_cost: RecordAttempt["cost"];
  }[];
  /** The operator's cost of all attempts. */
  readonly provider_cost_microusd: number;
}

/** The JSON of `GET /api/admin/requests/{id}`. */
export function encodeForOperator(record: UsageRecord, options: EncodeOptions = {}): OperatorRecord {
  const { hideProvider = false } = options;
  return {
    ...encodeRecord(record, options),
    key_id: record.keyId,
    attempts: record.attempts.map((attempt) => ({
      model: attempt.model,
      provider: hideProvider ? null : attempt.provider,
      upstream_model: hideProvider ? null : attempt.upstreamModel,
      outcome: attempt.outcome,
      status_code: attempt.status,
      error: attempt.error,
      // A provider names itself and its models in its words.
      provider_code: hideProvider ? null : (attempt.words?.code ?? null),
      provider_message: hideProvider ? null : (attempt.words?.message ?? null),
      started_after_ms: attempt.startedMs,
      latency_ms: attempt.latencyMs,
      provider_cost_microusd: attempt.costMicrousd,
      provider_cost: attempt.cost,
    })),
    provider_cost_microusd: record.attempts.reduce((sum, { costMicrousd }) => sum + costMicrousd, 0),
  };
}

function tokens(dimensions: readonly Dimension[], side: Side): number {
  let sum = 0;
  for (const { name, quantity, unit } of dimensions) if (unit === "token" && sideOf(name) === side) sum += quantity;
  return sum;
}

function encodeDimension({ name, quantity, unit }: Dimension): Dimension {
  return { name, quantity, unit };
}

function byShownOrder(a: Dimension, b: Dimension): number {
  return dimensionNames.indexOf(a.name) - dimensionNames.indexOf(b.name);
}

/** A line of a charge as callers see it. */
export function encodeLineItem(item: LineItem): PublicLineItem {
  return {
    dimension: item.dimension,
    quantity: item.quantity,
    unit: item.unit,
    unit_size: item.unitSize,
    unit_microusd: item.unitMicrousd,
    amount_microusd: item.amountMicrousd,
  };
}
