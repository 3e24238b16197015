import type { LineItem } from "../../billing/prices/prices.ts";
import { dimensionNames, unitOf } from "../../dimensions.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Cell } from "./csv.ts";

/** The version of the FinOps Open Cost and Usage Specification that `format=focus` follows. */
export const focusVersion = "1.4";

/** One line item of a record, as the columns see it. */
interface Charge {
  readonly record: UsageRecord;
  readonly item: LineItem;
  readonly hideProvider: boolean;
}

/** The columns of the Cost and Usage dataset in alphabetical order, then those of our own. */
const columns: Readonly<Record<string, (charge: Charge) => Cell>> = {
  BilledCost: cost,
  BillingAccountId: ({ record }) => record.accountId,
  BillingAccountName: () => null,
  BillingCurrency: () => "USD",
  BillingPeriodEnd: ({ record }) => monthOf(record.createdAt, 1),
  BillingPeriodStart: ({ record }) => monthOf(record.createdAt, 0),
  ChargeCategory: ({ item }) => (item.dimension === "markup" ? "Adjustment" : "Usage"),
  ChargeClass: () => null,
  ChargeDescription: ({ record, item }) => `${record.routing.resolvedModel ?? record.model}: ${item.dimension}`,
  ChargeFrequency: () => "Usage-Based",
  ChargePeriodEnd: ({ record }) => secondOf(record.createdAt + 1_000),
  ChargePeriodStart: ({ record }) => secondOf(record.createdAt),
  ConsumedQuantity: ({ item }) => (isUsage(item) ? item.quantity : null),
  ConsumedUnit: ({ item }) => (isUsage(item) ? unitName(item) : null),
  ContractedCost: cost,
  EffectiveCost: cost,
  HostProviderName: ({ record, hideProvider }) => (hideProvider ? null : record.routing.provider) ?? issuer,
  InvoiceIssuerName: () => issuer,
  ListCost: cost,
  ListUnitPrice: ({ item }) => (isUsage(item) ? usd(item.unitMicrousd) : null),
  PricingCategory: ({ item }) => (isUsage(item) ? "Standard" : null),
  PricingQuantity: ({ item }) => (isUsage(item) ? quotient(item.quantity, item.unitSize) : null),
  PricingUnit: ({ item }) => (isUsage(item) ? pricingUnit(item) : null),
  ServiceCategory: () => "AI and Machine Learning",
  ServiceName: ({ record }) => record.routing.resolvedModel ?? record.model,
  ServiceProviderName: () => issuer,
  ServiceSubcategory: () => "Generative AI",
  SkuId: ({ record, item }) => (isUsage(item) ? skuOf(record, item) : null),
  SkuMeter: ({ item }) => (isUsage(item) ? item.dimension : null),
  SkuPriceDetails: ({ record, item }) => (isUsage(item) ? priceDetails(record, item) : null),
  SkuPriceId: ({ record, item }) => (isUsage(item) ? `${skuOf(record, item)}/v${record.billing.pricingVersion}` : null),
  SubAccountId: ({ record }) => record.keyId,
  SubAccountName: () => null,
  SubAccountType: () => "API key",
  Tags: ({ record }) => record.attribution.tags,
  x_EndUser: ({ record }) => record.attribution.endUser,
  x_Endpoint: ({ record }) => record.endpoint,
  x_RequestId: ({ record }) => record.id,
  x_Session: ({ record }) => record.attribution.session,
};

export const focusColumns: readonly string[] = Object.keys(columns);

/** Who bills the caller. */
const issuer = "Tollgate";

/** The rows of a record: one for each line item, so none for what was not charged. */
export function focusRows(record: UsageRecord, hideProvider: boolean): Cell[][] {
  return record.billing.lineItems.map((item) =>
    Object.values(columns).map((value) => value({ record, item, hideProvider })),
  );
}

function cost({ item }: Charge): Cell {
  return usd(item.amountMicrousd);
}

/** Whole micro-USD in USD, exactly. */
function usd(microusd: number): string {
  const sign = microusd < 0 ? "-" : "";
  const digits = String(Math.abs(microusd)).padStart(7, "0");
  const fraction = digits.slice(-6).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -6)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Exact, since unit sizes are powers of ten. */
function quotient(quantity: number, unitSize: number): string {
  if (!Number.isInteger(quantity)) return String(quantity / unitSize);
  const places = Math.round(Math.log10(unitSize));
  const digits = String(quantity).padStart(places + 1, "0");
  const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
  return places === 0 || fraction === "" ? String(quantity / unitSize) : `${digits.slice(0, -places)}.${fraction}`;
}

/** A markup, and what a provider says that an answer cost, have no quantity. */
function isUsage({ dimension }: LineItem): boolean {
  return dimensionNames.some((name) => name === dimension);
}

const unitNames = {
  token: "Tokens",
  search_unit: "Searches",
  image: "Images",
  second: "Seconds",
  character: "Characters",
  request: "Requests",
} as const;

function unitName({ dimension }: LineItem): string {
  const name = dimensionNames.find((known) => known === dimension);
  return name === undefined ? "Units" : unitNames[unitOf(name)];
}

function pricingUnit(item: LineItem): string {
  return item.unitSize === 1 ? unitName(item) : `${item.unitSize} ${unitName(item)}`;
}

function skuOf({ routing, model }: UsageRecord, { dimension }: LineItem): string {
  return `${routing.resolvedModel ?? model}/${dimension}`;
}

/** The properties of a price, as a JSON object. The specification has no names for them, so they begin with `x_`. */
function priceDetails(record: UsageRecord, { dimension, unitSize }: LineItem): string {
  const { routing, model, billing } = record;
  return JSON.stringify({
    x_Model: routing.resolvedModel ?? model,
    x_Dimension: dimension,
    x_UnitSize: unitSize,
    x_PriceListVersion: billing.pricingVersion,
  });
}

function secondOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The beginning of the month of a time in UTC, or of a later one. */
function monthOf(time: number, later: number): string {
  const date = new Date(time);
  return secondOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later));
}
