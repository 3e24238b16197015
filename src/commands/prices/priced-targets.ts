import type { PricedModel, PricedTarget } from "../../billing/prices/price-book.ts";
import type { Config, ModelConfig } from "../../config/config.ts";

/** A model of the configuration at one of its targets, as prices are looked up for it. */
export interface ModelAtTarget {
  readonly model: PricedModel;
  readonly target: PricedTarget;
}

/** A model at each of its targets. `name` is what a caller asks for if the model is a pattern. */
export function pricedTargets(
  { id, targets }: Pick<ModelConfig, "id" | "targets">,
  providers: Config["providers"],
  name: string = id,
): ModelAtTarget[] {
  const rest = id.endsWith("/*") ? name.slice(id.length - 1) : "";
  return targets.flatMap((target) => {
    const provider = providers.find((each) => each.id === target.provider);
    if (!provider) return [];
    const model = name === id ? target.model : target.model.replace("*", () => rest);
    return {
      model: { id: name, pricedAs: id },
      target: { provider, model, pricedAs: `${provider.id}/${target.model}` },
    };
  });
}

/** The configured model that serves a name: the one with this id, else the longest pattern that matches. */
export function modelFor(models: readonly ModelConfig[], name: string): ModelConfig | null {
  const exact = models.find(({ id }) => id === name);
  if (exact) return exact;
  const patterns = models.filter(({ id }) => id.endsWith("/*") && name.startsWith(id.slice(0, -1)));
  return patterns.toSorted((a, b) => b.id.length - a.id.length)[0] ?? null;
}
