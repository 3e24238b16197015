import type { PriceDocument } from "../prices/price-document.ts";
import { type PriceTable, targetKey } from "../prices/price-table.ts";

/** A model of the configuration, or in its format, as far as prices go. */
export interface PricedByConfiguration {
  readonly id: string;
  readonly prices: PriceDocument | null;
  readonly targets: readonly {
    readonly provider: string;
    readonly model: string;
    readonly prices?: PriceDocument | null;
  }[];
}

/** The prices that the configuration itself names, of models and of single targets. */
export function configuredTable(models: readonly PricedByConfiguration[]): PriceTable {
  const documents = new Map<string, PriceDocument>();
  for (const { id, prices, targets } of models) {
    if (prices !== null) documents.set(id, prices);
    for (const target of targets) {
      if (!target.prices) continue;
      documents.set(targetKey(id, `${target.provider}/${target.model}`), completed(target.prices, prices));
    }
  }
  return { source: "configuration", date: null, models: Object.fromEntries(documents), vendors: [] };
}

/** A target that only passes its provider's cost through has the prices of its model for answers without one. */
function completed(target: PriceDocument, model: PriceDocument | null): PriceDocument {
  const { cost, ...own } = target;
  return cost !== undefined && Object.keys(own).length === 0 ? { ...model, cost } : target;
}
