import type { DimensionName } from "../metering/usage.ts";
import type { PriceListStore } from "./price-list-store.ts";
import type { ModelPrices, Price, PriceList } from "./prices.ts";
import { isDimensionName, pricingUnits } from "./pricing-units.ts";

/** Whole micro-USD per pricing unit, by dimension. */
export type ConfiguredPrices = Readonly<Partial<Record<DimensionName, number>>>;

/** How often a start that loses the race for a version tries the next one. */
const mostAttempts = 20;

/** A model's prices with the pricing unit of each dimension. Throws where a name is no dimension or a price not whole. */
export function buildPrices(configured: ConfiguredPrices): ModelPrices {
  const prices: Partial<Record<DimensionName, Price>> = {};
  for (const [dimension, unitMicrousd] of Object.entries(configured)) {
    if (!isDimensionName(dimension)) throw new Error(`'${dimension}' is not a dimension that can have a price.`);
    if (!Number.isSafeInteger(unitMicrousd) || unitMicrousd < 0) {
      throw new Error(`The price of '${dimension}' is not a whole number of micro-USD from 0 up: ${unitMicrousd}.`);
    }
    prices[dimension] = { dimension, unit: pricingUnits[dimension], unitMicrousd };
  }
  return prices;
}

/** The prices of all models that have some, by model id. */
export function pricesByModel(configured: Readonly<Record<string, ConfiguredPrices | null>>): PriceList["models"] {
  const models: Record<string, ModelPrices> = {};
  for (const [id, prices] of Object.entries(configured)) if (prices !== null) models[id] = buildPrices(prices);
  return models;
}

/**
 * Puts the configured prices in force and returns the list that says so: the latest one where nothing has changed, else
 * a new version. Several processes may do this at once: they end with one version for the same prices.
 * @param configured by model id; null for a model without prices
 */
export async function publishPrices(
  store: Pick<PriceListStore, "latest" | "insert">,
  configured: Readonly<Record<string, ConfiguredPrices | null>>,
): Promise<PriceList> {
  const models = pricesByModel(configured);
  const wanted = canonical(models);
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const latest = await store.latest();
    if (latest !== null && canonical(latest.models) === wanted) return latest;
    const list = { version: (latest?.version ?? 0) + 1, models };
    if (await store.insert(list)) return list;
  }
  throw new Error(
    `The prices could not be published: in ${mostAttempts} attempts other processes were always quicker.`,
  );
}

/** The same text for the same prices, in whatever order they are written. */
function canonical(models: PriceList["models"]): string {
  const byModel = Object.entries(models).map(([id, prices]) => {
    const lines = Object.values(prices).map(({ dimension, unit, unitMicrousd }) => {
      return [dimension, unit.name, unit.size, unitMicrousd].join(" ");
    });
    return JSON.stringify([id, ...lines.sort()]);
  });
  return byModel.sort().join("\n");
}
