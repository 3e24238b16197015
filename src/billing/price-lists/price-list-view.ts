import { type ListedPrice, listPrices } from "./list-prices.ts";
import type { FoundPrices, PriceBook, PricedModel, PricedTarget } from "../prices/price-book.ts";

/** A model with the targets for which prices are looked up. */
export interface ModelAtTargets {
  readonly model: PricedModel;
  readonly targets: readonly { readonly label: string; readonly target: PricedTarget }[];
}

/** A model, or one of its targets, with its price. */
export interface ShownModel {
  readonly id: string;
  /** Null if all targets of the model have the same price. */
  readonly target: string | null;
  readonly found: FoundPrices;
}

/** What models cost at their targets: one price if all targets have the same one. Those without prices are left out. */
export function shownModels(book: PriceBook, models: readonly ModelAtTargets[]): ShownModel[] {
  return models.flatMap(({ model, targets }): ShownModel[] => {
    const shown = targets.flatMap(({ label, target }) => {
      const found = book.find(model, target);
      return found ? { id: model.id, target: label, found } : [];
    });
    const [first] = shown;
    const isOne = first && shown.every(({ found }) => found.document === first.found.document);
    return isOne && shown.length === targets.length ? [{ ...first, target: null }] : shown;
  });
}

/** What search backends cost, under the ids that the price list has them by: `search:main`. @param name one of these; null: all */
export function shownBackends(
  book: PriceBook,
  backends: readonly ModelAtTargets[],
  name: string | null,
): readonly ShownModel[] {
  const asked = backends.filter(({ model }) => name === null || model.pricedAs === name);
  return asked.flatMap((backend) =>
    shownModels(book, [backend]).map((shown) => ({ ...shown, id: backend.model.pricedAs })),
  );
}

/** A version of the price list in the admin API and in the output of commands. */
export function priceListView(book: PriceBook, models: readonly ShownModel[]) {
  return {
    object: "price_list",
    version: book.version === 0 ? null : book.version,
    currency: "USD",
    models: models.map(({ id, target, found: { prices, source } }) => ({
      id,
      ...(target === null ? {} : { target }),
      source: { layer: source.layer, name: source.name, date: source.date },
      ...(prices.isProviderCost ? { cost: "provider" } : {}),
      pricing: listPrices(prices) satisfies ListedPrice[],
    })),
  };
}
