import { dimensionNames } from "../../dimensions.ts";
import type { PriceDocument } from "./price-document.ts";
import { type Rate, usdText } from "./rate.ts";

const names: ReadonlySet<string> = new Set(dimensionNames);

/** A document as a configuration is written: prices as decimal text in USD. */
export function usdDocument(document: PriceDocument): object {
  return inUsd(document);
}

function inUsd(part: object): object {
  return mapEntries(part, (name, value) => {
    if (names.has(name)) return ratesInUsd(value);
    if (Array.isArray(value)) return value.map(inUsd);
    // Service tiers, each with prices of its own.
    return typeof value === "object" && value !== null ? mapEntries(value, (_, tier) => inUsd(Object(tier))) : value;
  });
}

/** Under the name of a dimension a document has a rate, or a map of sizes to rates, and nothing else. */
function ratesInUsd(value: unknown): unknown {
  if (typeof value === "object" && value !== null) return mapEntries(value, (_, rate) => usdText(rate as Rate));
  return usdText(value as Rate);
}

function mapEntries(map: object, change: (name: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(name, value)]));
}
