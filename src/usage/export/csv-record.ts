import { dimensionNames, sumOf } from "../../dimensions.ts";
import type { MutableQuantities } from "../../dimensions.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Cell } from "./csv.ts";

/** The columns of `format=csv`, in their order. Money is whole micro-USD. */
export const csvColumns: readonly string[] = [
  ...["id", "created_at", "key", "account", "model", "resolved_model", "provider", "endpoint", "status", "stream"],
  ...["status_code", "error_type", "error_code", "prompt_tokens", "completion_tokens", "total_tokens"],
  ...dimensionNames,
  ...["billing_status", "amount_microusd", "pricing_version", "latency_ms", "end_user", "session", "tags"],
];

/** The cells of a record. @param hideProvider leaves its provider out */
export function csvCells(record: UsageRecord, hideProvider: boolean): Cell[] {
  const { routing, billing, error, attribution } = record;
  const quantities: MutableQuantities = {};
  for (const { name, quantity } of record.usage.dimensions) quantities[name] = (quantities[name] ?? 0) + quantity;
  const read = sumOf(quantities, "token", "input");
  const written = sumOf(quantities, "token", "output");
  const provider = hideProvider ? null : routing.provider;
  const created = new Date(record.createdAt).toISOString();
  return [
    ...[record.id, created, record.keyId, record.accountId, record.model, routing.resolvedModel, provider],
    ...[record.endpoint, record.status, record.stream, routing.statusCode, error?.type ?? null, error?.code ?? null],
    ...[read, written, read + written],
    ...dimensionNames.map((name) => quantities[name] ?? 0),
    ...[billing.status, billing.amountMicrousd, billing.pricingVersion, routing.latencyMs],
    ...[attribution.endUser, attribution.session, attribution.tags],
  ];
}
