import type { ModelPrices, Price, RateSet } from "../../billing/prices/prices.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";

type Variant = NonNullable<ExpectedUsage["imageVariant"]>;

/** `high/1024x1024`, as prices name it; null if the request does not say the size. */
export function variantText(variant: Variant | undefined): string | null {
  if (variant === undefined || variant.size === null) return null;
  return variant.quality === null ? variant.size : `${variant.quality}/${variant.size}`;
}

/** The highest price of an image that a request can lead to, by the size and the quality that it says; undefined if there is none. */
export function dearestImage(prices: ModelPrices, variant: Variant): Price | undefined {
  const services = Object.values(prices.serviceTiers).flatMap((service) => [service, ...service.sizeTiers]);
  const sets: readonly RateSet[] = [prices, ...prices.sizeTiers, ...prices.windows, ...services];
  let dearest: Price | undefined;
  for (const price of sets.flatMap((set) => possiblePrices(set, variant))) {
    if (dearest === undefined || price.unitMicrousd / price.unit.size > dearest.unitMicrousd / dearest.unit.size) {
      dearest = price;
    }
  }
  return dearest;
}

/** As `priceOf` finds them: by quality and size, else by size, else the price of all. */
function possiblePrices({ rates, variants }: RateSet, { size, quality }: Variant): readonly Price[] {
  const named = variants?.image ?? {};
  const exact = size !== null && quality !== null ? ownPrice(named, `${quality}/${size}`) : undefined;
  if (exact !== undefined) return [exact];
  const possible = Object.entries(named).flatMap(([key, price]) => {
    const slash = key.indexOf("/");
    const isSize = size === null || key.slice(slash + 1) === size;
    // A price of the size alone is for the qualities that have none of their own.
    const isQuality =
      slash < 0
        ? quality === null || !Object.hasOwn(named, `${quality}/${key}`)
        : quality === null || key.slice(0, slash) === quality;
    return isSize && isQuality ? [price] : [];
  });
  const isNamed = size !== null && ownPrice(named, size) !== undefined;
  return isNamed || rates.image === undefined ? possible : [...possible, rates.image];
}

function ownPrice(named: Readonly<Record<string, Price>>, key: string): Price | undefined {
  return Object.hasOwn(named, key) ? named[key] : undefined;
}
