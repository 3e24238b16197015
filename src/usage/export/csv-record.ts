import { type DimensionName, dimensionNames, type Side, sideOf, unitOf } from "../../dimensions.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Cell } from "./csv.ts";

interface Shown {
  readonly record: UsageRecord;
  readonly hideProvider: boolean;
}

/** The columns of `format=csv`, in their order. Money is whole micro-USD. */
const columns: Readonly<Record<string, (shown: Shown) => Cell>> = {
  id: ({ record }) => record.id,
  created_at: ({ record }) => new Date(record.createdAt).toISOString(),
  key: ({ record }) => record.keyId,
  account: ({ record }) => record.accountId,
  model: ({ record }) => record.model,
  resolved_model: ({ record }) => record.routing.resolvedModel,
  provider: ({ record, hideProvider }) => (hideProvider ? null : record.routing.provider),
  endpoint: ({ record }) => record.endpoint,
  status: ({ record }) => record.status,
  stream: ({ record }) => record.stream,
  status_code: ({ record }) => record.routing.statusCode,
  error_type: ({ record }) => record.error?.type ?? null,
  error_code: ({ record }) => record.error?.code ?? null,
  prompt_tokens: ({ record }) => tokensOf(record, "input"),
  completion_tokens: ({ record }) => tokensOf(record, "output"),
  total_tokens: ({ record }) => tokensOf(record, "input") + tokensOf(record, "output"),
  ...Object.fromEntries(dimensionNames.map((name) => [name, ({ record }: Shown) => quantityOf(record, name)])),
  billing_status: ({ record }) => record.billing.status,
  amount_microusd: ({ record }) => record.billing.amountMicrousd,
  pricing_version: ({ record }) => record.billing.pricingVersion,
  latency_ms: ({ record }) => record.routing.latencyMs,
  end_user: ({ record }) => record.attribution.endUser,
  session: ({ record }) => record.attribution.session,
  tags: ({ record }) => record.attribution.tags,
};

export const csvColumns: readonly string[] = Object.keys(columns);

/** The cells of a record. @param hideProvider leaves its provider out */
export function csvCells(record: UsageRecord, hideProvider: boolean): Cell[] {
  return Object.values(columns).map((value) => value({ record, hideProvider }));
}

function quantityOf({ usage }: UsageRecord, name: DimensionName): number {
  return usage.dimensions.find((dimension) => dimension.name === name)?.quantity ?? 0;
}

function tokensOf(record: UsageRecord, side: Side): number {
  let sum = 0;
  for (const name of dimensionNames) {
    if (unitOf(name) === "token" && sideOf(name) === side) sum += quantityOf(record, name);
  }
  return sum;
}
