import type { Health } from "../health/health.ts";
import type { Model } from "./model.ts";

const ending = "/*";

/** Whether a model's id stands for many: `openai/*`. */
export function isPattern(model: Model): boolean {
  return model.id.endsWith(ending);
}

/** Patterns with the longest first, so that the first that fits is the closest. */
export function sortedPatterns(models: readonly Model[]): Model[] {
  return models.filter(isPattern).toSorted((a, b) => b.id.length - a.id.length);
}

/** A rest that would stand for many again, or leave its folder where a provider has the name in its path. */
const odd = /\*|(^|\/)\.{1,2}(\/|$)/;

/**
 * The model that a pattern makes of a name: `openai/gpt-5` of `openai/*`, whose target `*` becomes `gpt-5`. Null where none
 * fits. It is priced as the pattern is.
 */
export function modelByPattern(patterns: readonly Model[], name: string, health: Health): Model | null {
  const pattern = patterns.find(({ id }) => name.startsWith(id.slice(0, -1)) && name.length > id.length - 1);
  if (!pattern) return null;
  const rest = name.slice(pattern.id.length - 1);
  if (odd.test(rest)) return null;
  return {
    ...pattern,
    id: name,
    name,
    targets: pattern.targets.map((target) => {
      const model = target.model.replace("*", () => rest);
      return { ...target, model, health: health.ofDerived(target.provider, model) };
    }),
  };
}
