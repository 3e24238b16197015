import type { PriceDocument } from "../../billing/prices/price-document.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { Health } from "../health/health.ts";
import type { Model, Target } from "./model.ts";

/** A configured model whose targets refer to providers by id. */
export type NamedModel = Omit<Model, "targets" | "pricedAs"> & {
  readonly targets: readonly (Omit<Target, "provider" | "health" | "pricedAs"> & { readonly provider: string })[];
};

/** One with its prices, which the price list takes over. */
export type PricedModel = Omit<NamedModel, "targets"> & {
  /** Null if there are none for the model. */
  readonly prices: PriceDocument | null;
  readonly targets: readonly (NamedModel["targets"][number] & {
    /** Null or absent: the prices of the model. */
    readonly prices?: PriceDocument | null;
  })[];
};

/** Joins models to their providers. Throws if a provider is unknown, which a valid configuration rules out. */
export function modelsOf(
  config: { readonly providers: readonly Provider[]; readonly models: readonly NamedModel[] },
  health: Health,
): Model[] {
  const providers = new Map(config.providers.map((provider) => [provider.id, provider]));
  return config.models.map((model) => ({
    ...model,
    pricedAs: model.id,
    targets: model.targets.map((target) => {
      const provider = providers.get(target.provider);
      if (!provider) throw new Error(`The model '${model.id}' names an unknown provider '${target.provider}'.`);
      const pricedAs = `${target.provider}/${target.model}`;
      return { ...target, provider, pricedAs, health: health.of(provider, target.model) };
    }),
  }));
}
