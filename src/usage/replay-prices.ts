import { charge } from "../billing/charge.ts";
import type { PriceBook, PricedModel, PricedTarget } from "../billing/prices/price-book.ts";
import type { ModelPrices } from "../billing/prices/prices.ts";
import { dimensionNames, unitOf } from "../dimensions.ts";
import type { Usage } from "../metering/usage.ts";
import { nextTurn } from "../next-turn.ts";
import type { SumRow } from "./sum-table.ts";

/** What the requests of a model at a provider would have cost by two versions of the price list, in micro-USD. */
export interface Replayed {
  readonly model: string;
  readonly provider: string | null;
  requests: number;
  /** What they were charged. */
  chargedMicrousd: number;
  beforeMicrousd: number;
  afterMicrousd: number;
  /** False if sums of usage do not tell the price: it is by size, time or service tier, or that of one of several models. */
  readonly isExact: boolean;
}

export interface Replay {
  /** Those whose cost differs most come first. */
  readonly rows: readonly Replayed[];
  /** Requests of models that have left the catalog, and are in no row. */
  readonly unknownRequests: number;
}

/** A model that is in the catalog, at the target that served it. */
export interface ServedBy {
  readonly model: PricedModel;
  readonly target: PricedTarget;
  /** False if the name of the record leads to several models, of which this is one. */
  readonly isCertain: boolean;
}

export interface ReplayOptions {
  readonly before: PriceBook;
  readonly after: PriceBook;
  /** Null for a model that is no longer there. */
  readonly servedBy: (model: string, provider: string | null) => ServedBy | null;
  /** Whether requests to this path are free whatever the prices, as token counts are. */
  readonly isFree: (endpoint: string) => boolean;
}

/** How the rows of the usage are told apart. */
export const replayedBy = ["model", "provider", "status", "endpoint"] as const;

const chargedStatuses: ReadonlySet<string | null> = new Set(["succeeded", "cancelled"]);
const rowsPerTurn = 100;

/**
 * Prices sums of usage, told apart by `replayedBy`, by two versions. The sums are those of all requests of a model, so that a
 * line is rounded once and not for each request: half a micro-USD for each line of a request at most.
 */
export async function replayPrices(rows: readonly SumRow[], options: ReplayOptions): Promise<Replay> {
  const found = new Map<string, Replayed>();
  let unknownRequests = 0;
  for (const [index, row] of rows.entries()) {
    if (index % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
    const [model = null, provider = null, status = null, endpoint = null] = row.names;
    if (model === null || !chargedStatuses.has(status) || options.isFree(endpoint ?? "")) continue;
    const served = options.servedBy(model, provider);
    if (served === null) {
      unknownRequests += row.requests;
      continue;
    }
    const [before, after] = [options.before, options.after].map((book) => {
      return { prices: book.pricesOf(served.model, served.target), version: book.version };
    });
    if (!before || !after) continue;
    const key = `${model}\n${provider ?? ""}`;
    const isExact = served.isCertain && isFlat(before.prices) && isFlat(after.prices);
    const sum = found.get(key) ?? {
      model,
      provider,
      requests: 0,
      chargedMicrousd: 0,
      beforeMicrousd: 0,
      afterMicrousd: 0,
      isExact,
    };
    found.set(key, sum);
    sum.requests += row.requests;
    sum.chargedMicrousd += row.amountMicrousd;
    sum.beforeMicrousd += costOf(row, before.prices);
    sum.afterMicrousd += costOf(row, after.prices);
  }
  const difference = ({ beforeMicrousd, afterMicrousd }: Replayed) => Math.abs(afterMicrousd - beforeMicrousd);
  return { rows: [...found.values()].toSorted((a, b) => difference(b) - difference(a)), unknownRequests };
}

/** The cost of all requests of a row together, as if they were one. */
function costOf({ requests, quantities, amountMicrousd: charged }: SumRow, prices: ModelPrices | null): number {
  // What a provider would report is not known but for what it has reported.
  if (prices?.isProviderCost) return charged;
  const dimensions = dimensionNames.flatMap((name, place) => {
    const quantity = quantities[place] ?? 0;
    return quantity > 0 && name !== "request" ? [{ name, quantity, unit: unitOf(name) }] : [];
  });
  const usage: Usage = { dimensions, measurement: null };
  // The price of a request is for each of them.
  // Sums of usage are no single large request: tiers and windows do not apply to them.
  const { amountMicrousd, lineItems } = charge(usage, prices && { ...prices, isConditional: false }, 0);
  const ofRequest = lineItems.find(({ dimension }) => dimension === "request")?.amountMicrousd ?? 0;
  return amountMicrousd + ofRequest * (requests - 1);
}

/** Whether all requests of the model have the same price of a unit. */
function isFlat(prices: ModelPrices | null): boolean {
  if (prices === null) return true;
  const { isConditional, isProviderCost, variants } = prices;
  return !isConditional && !isProviderCost && Object.keys(variants ?? {}).length === 0;
}
