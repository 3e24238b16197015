import type { LineItem, BillingStatus } from "../billing/prices.ts";
import type { Dimension, DimensionName, Measurement } from "../metering/usage.ts";
import type { RecordStatus, UsageRecord } from "../records/record.ts";
import type { RequestRow } from "./schema.ts";

/** What is nested in a record and never asked for by itself. */
interface RecordDetails {
  readonly measurement: Measurement;
  /** Dimensions other than whole tokens. */
  readonly dimensions: readonly Dimension[];
  readonly lineItems: readonly LineItem[];
  readonly attempts: UsageRecord["attempts"];
  readonly providerUsage: UsageRecord["providerUsage"];
}

type TokenColumn = Extract<keyof RequestRow, `${string}_tokens`>;

const tokenColumns = new Map<DimensionName, TokenColumn>([
  ["input", "input_tokens"],
  ["cache_read", "cache_read_tokens"],
  ["cache_write", "cache_write_tokens"],
  ["cache_write_5m", "cache_write_5m_tokens"],
  ["cache_write_1h", "cache_write_1h_tokens"],
  ["cache_miss", "cache_miss_tokens"],
  ["output", "output_tokens"],
]);

/** Text that outsiders chose is cut to this many UTF-16 units: an index has to hold it. */
const longestText = 512;

/**
 * A record as its row. Dimensions are a set: a row gives them back in one order, whatever order they came in. No record
 * fails to become a row: text that a database would refuse is mended, and raw fields that cannot be written are left out.
 */
export function recordToRow(record: UsageRecord): RequestRow {
  const { routing, billing } = record;
  const row: RequestRow = {
    id: record.id,
    key_id: record.keyId,
    response_id: record.responseId === null ? null : storableText(record.responseId),
    created_at: record.createdAt,
    model: storableText(record.model),
    endpoint: storableText(record.endpoint),
    stream: record.stream ? 1 : 0,
    status: record.status,
    error_type: record.error?.type ?? null,
    error_code: record.error === null || record.error.code === null ? null : storableText(record.error.code),
    strategy_name: routing.strategyName,
    resolved_model: routing.resolvedModel,
    provider: routing.provider,
    status_code: routing.statusCode,
    latency_ms: Math.round(routing.latencyMs),
    time_to_first_byte_ms: routing.timeToFirstByteMs === null ? null : Math.round(routing.timeToFirstByteMs),
    upstream_ms: routing.upstreamMs === null ? null : Math.round(routing.upstreamMs),
    attempts: routing.attempts,
    input_tokens: null,
    output_tokens: null,
    cache_read_tokens: null,
    cache_write_tokens: null,
    cache_write_5m_tokens: null,
    cache_write_1h_tokens: null,
    cache_miss_tokens: null,
    amount_microusd: billing.amountMicrousd,
    billing_status: billing.status,
    pricing_version: billing.pricingVersion,
    details: "",
  };
  const others: Dimension[] = [];
  for (const dimension of record.usage.dimensions) {
    const column = dimension.unit === "token" ? tokenColumns.get(dimension.name) : undefined;
    if (column !== undefined && Number.isSafeInteger(dimension.quantity)) row[column] = dimension.quantity;
    else others.push(dimension);
  }
  row.details = detailsToText({
    measurement: record.usage.measurement,
    dimensions: others,
    lineItems: billing.lineItems,
    attempts: record.attempts,
    providerUsage: record.providerUsage,
  });
  return row;
}

/** A row as the record it keeps. */
export function rowToRecord(row: RequestRow): UsageRecord {
  // `recordToRow` wrote this text, the status and the billing status.
  const details = JSON.parse(row.details) as RecordDetails;
  const dimensions: Dimension[] = [];
  for (const [name, column] of tokenColumns) {
    const quantity = row[column];
    if (quantity !== null) dimensions.push({ name, quantity, unit: "token" });
  }
  return {
    id: row.id,
    responseId: row.response_id,
    keyId: row.key_id,
    createdAt: row.created_at,
    model: row.model,
    endpoint: row.endpoint,
    stream: row.stream === 1,
    status: row.status as RecordStatus,
    error: row.error_type === null ? null : { type: row.error_type, code: row.error_code },
    usage: { dimensions: [...dimensions, ...details.dimensions], measurement: details.measurement },
    billing: {
      status: row.billing_status as BillingStatus,
      amountMicrousd: row.amount_microusd,
      pricingVersion: row.pricing_version,
      lineItems: details.lineItems,
    },
    routing: {
      strategyName: row.strategy_name,
      resolvedModel: row.resolved_model,
      provider: row.provider,
      statusCode: row.status_code,
      latencyMs: row.latency_ms,
      timeToFirstByteMs: row.time_to_first_byte_ms,
      upstreamMs: row.upstream_ms,
      attempts: row.attempts,
    },
    attempts: details.attempts,
    providerUsage: details.providerUsage,
  };
}

/** Text that any database takes: no NUL, no half of a surrogate pair, not longer than an index can hold. */
export function storableText(text: string): string {
  const short = text.length > longestText ? text.slice(0, longestText) : text;
  if (short.isWellFormed() && !short.includes("\0")) return short;
  return short.toWellFormed().replaceAll("\0", "\ufffd");
}

function detailsToText(details: RecordDetails): string {
  try {
    return JSON.stringify(details);
  } catch {
    // Only raw fields can be too deep or otherwise impossible: the bill must not be lost with them.
    const family = details.providerUsage?.family ?? "";
    return JSON.stringify({ ...details, providerUsage: { family, rawFields: {} } });
  }
}
