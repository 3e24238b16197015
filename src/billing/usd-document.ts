import { dimensionNames } from "../dimensions.ts";
import type { PriceDocument } from "./price-document.ts";
import { usdText } from "./usd.ts";

/** A document as a configuration is written: prices as decimal text in USD. */
export function usdDocument(document: PriceDocument): object {
  return inUsd(document);
}

const names: ReadonlySet<string> = new Set(dimensionNames);

function inUsd(part: object): object {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]): [string, unknown] => {
      if (Array.isArray(value)) return [name, value.map(inUsd)];
      if (typeof value === "object" && value !== null) {
        // Under the name of a dimension the map is of sizes, else of service tiers.
        const isBySize = names.has(name);
        return [name, mapValues(value, (item) => (isBySize ? usdText(item) : inUsd(item)))];
      }
      return [name, names.has(name) ? usdText(value) : value];
    }),
  );
}

// A document holds nothing else than rates and parts of documents.
function mapValues(map: object, change: (value: never) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value as never)]));
}
