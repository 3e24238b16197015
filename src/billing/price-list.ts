// STAND-IN by the owner so that the gateway runs: overwrite this whole file with the real one.
import type { PriceListStore } from "./price-list-store.ts";
import type { ModelPrices, Price, PriceList } from "./prices.ts";
import type { DimensionName } from "../metering/usage.ts";
export async function publishPrices(store: PriceListStore, configured: Record<string, Partial<Record<DimensionName, number>> | null>): Promise<PriceList> {
  const models: Record<string, ModelPrices> = {};
  for (const [id, prices] of Object.entries(configured)) if (prices) models[id] = Object.fromEntries(Object.entries(prices).map(([d, unitMicrousd]) => [d, { dimension: d as DimensionName, unit: { name: "1M_tokens", size: 1_000_000 }, unitMicrousd } satisfies Price]));
  const latest = await store.latest();
  if (latest) return { version: latest.version, models };
  const list = { version: 1, models };
  await store.insert(list);
  return list;
}
