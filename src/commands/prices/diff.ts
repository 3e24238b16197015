import type { ListedPrice } from "../../billing/price-lists/list-prices.ts";
import { formatTable } from "../format.ts";
import { formatUsd } from "../../billing/usd.ts";
import type { ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { readVersion } from "./versions.ts";

/** `tollgate prices diff A B`: each price that is in one version and not, or otherwise, in the other. */
export async function diffVersions(
  a: number,
  b: number,
  options: ConfigOptions & { readonly json?: boolean },
): Promise<void> {
  const differences = await withStorage(options, async (storage) => {
    const { differencesOf } = await import("../../billing/price-lists/price-diff.ts");
    return differencesOf(await readVersion(storage, a), await readVersion(storage, b));
  });
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "price_list.diff", from: a, to: b, differences }));
  }
  if (differences.length === 0) return console.log(`Versions ${a} and ${b} have the same prices.`);
  const rows = differences.map(({ layer, model, price, before, after }) => {
    return [model, price, text(before), text(after), (after ?? before)?.unit ?? "", layer];
  });
  console.log(formatTable([["MODEL", "PRICE", `VERSION ${a}`, `VERSION ${b}`, "PER", "SOURCE"], ...rows], [2, 3]));
}

function text(price: ListedPrice | null): string {
  return price === null ? "-" : formatUsd(price.unit_microusd);
}
