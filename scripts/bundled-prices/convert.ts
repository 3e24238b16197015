import type { ModelInfo, ModelPrice, Provider, TieredPrices } from "@pydantic/genai-prices";
import type {
  PriceDocument,
  RatesDocument,
  TierDocument,
  WindowDocument,
} from "../../src/billing/prices/price-document.ts";
import type { VendorModel, VendorPrices } from "../../src/billing/prices/price-table.ts";
import { readTimeOfDay } from "../../src/billing/prices/time-window.ts";
import { readUsd } from "../../src/billing/prices/rate.ts";
import type { DimensionName } from "../../src/dimensions.ts";

/** The package's names for prices, with what they mean here, and by how many places the decimal point moves. */
const known: Readonly<Record<string, readonly [name: DimensionName, shift: number]>> = {
  input_mtok: ["input", 0],
  output_mtok: ["output", 0],
  cache_read_mtok: ["cache_read", 0],
  cache_write_mtok: ["cache_write", 0],
  cache_write_1h_mtok: ["cache_write_1h", 0],
  input_audio_mtok: ["input_audio", 0],
  output_audio_mtok: ["output_audio", 0],
  input_image_mtok: ["input_image", 0],
  output_image_mtok: ["output_image", 0],
  requests_kcount: ["request", -3],
  web_searches_kcount: ["web_search", -3],
};

/** Prices of what no record counts apart: cached sound and pictures cost what cached text costs. */
const ignored: ReadonlySet<string> = new Set([
  "storage_searches_kcount",
  "cache_audio_read_mtok",
  "cache_image_read_mtok",
]);

/** The models of a provider whose prices can be said exactly. @param date the day on which they hold */
export function convertProvider(provider: Provider, date: string): VendorPrices {
  return {
    id: provider.id,
    address: provider.api_pattern,
    names: provider.model_match ?? null,
    alsoServes: provider.fallback_model_providers ?? [],
    models: provider.models.flatMap((model) => convertModel(model, date) ?? []),
  };
}

/** Null if a model is priced in a way that has no name here: by the hour, the page, or for reasoning apart. */
export function convertModel(model: ModelInfo, date: string): VendorModel | null {
  const prices = Array.isArray(model.prices) ? conditional(model.prices, date) : plain(model.prices);
  return prices && Object.keys(prices).length > 0 ? { id: model.id, match: model.match, prices } : null;
}

function plain(prices: ModelPrice): PriceDocument | null {
  const base: Partial<Record<DimensionName, number | string>> = {};
  const tiers = new Map<number, Partial<Record<DimensionName, number | string>>>();
  for (const [key, price] of Object.entries(prices)) {
    if (price === undefined || ignored.has(key)) continue;
    const [name, shift] = known[key] ?? [null, 0];
    if (name === null) return null;
    for (const { start, value } of stepsOf(price)) {
      const rate = readUsd(value, shift);
      if (rate === null) return null;
      const rates = start === null ? base : (tiers.get(start) ?? {});
      rates[name] = rate;
      if (start !== null) tiers.set(start, rates);
    }
  }
  const steps = [...tiers].toSorted(([one], [other]) => one - other);
  const listed = steps.map(([start, rates]): TierDocument => ({ above_input_tokens: start, ...rates }));
  return listed.length === 0 ? base : { ...base, tiers: listed };
}

function stepsOf(price: number | TieredPrices): { readonly start: number | null; readonly value: number }[] {
  if (typeof price === "number") return [{ start: null, value: price }];
  return [{ start: null, value: price.base }, ...price.tiers.map(({ start, price: value }) => ({ start, value }))];
}

/** The last price whose day has come, and the hours of the day that come after it in the list and so go before it. */
function conditional(prices: Exclude<ModelInfo["prices"], ModelPrice>, date: string): PriceDocument | null {
  const windows: WindowDocument[] = [];
  for (const { constraint, prices: at } of prices.toReversed()) {
    if (constraint?.type === "start_date" && constraint.start_date > date) continue;
    const document = plain(at);
    if (document === null) return null;
    if (constraint?.type !== "time_of_date") return windows.length === 0 ? document : { ...document, windows };
    const from = utcTime(constraint.start_time);
    const to = utcTime(constraint.end_time);
    if (from === null || to === null || document.tiers) return null;
    windows.push({ from, to, time_zone: "UTC", ...(document satisfies RatesDocument) });
  }
  return null;
}

/** `16:30:00Z` as `16:30`; null for any other zone, and for seconds. */
function utcTime(text: string): string | null {
  const time = /^(\d{2}:\d{2}):00Z$/.exec(text)?.[1];
  return time === undefined || readTimeOfDay(time) === null ? null : time;
}
