import type { Health } from "../health/health.ts";
import type { Model } from "./model.ts";

const suffix = "/*";

/** Whether a model's id is a pattern such as `openai/*`. */
export function isPattern(model: Model): boolean {
  return model.id.endsWith(suffix);
}

/** The patterns, longest first, so that the first match is the most specific. */
export function sortedPatterns(models: readonly Model[]): Model[] {
  return models.filter(isPattern).toSorted((a, b) => b.id.length - a.id.length);
}

/** Wildcards, and path segments that would change the provider's URL. */
const unsafe = /\*|(^|\/)\.{1,2}(\/|$)/;

/**
 * Derives a model from the pattern that matches a name: `openai/gpt-5` from `openai/*`, whose target `*` becomes `gpt-5`.
 * Null if none matches. The pattern's prices apply.
 */
export function modelByPattern(patterns: readonly Model[], name: string, health: Health): Model | null {
  const pattern = patterns.find(({ id }) => name.startsWith(id.slice(0, -1)) && name.length > id.length - 1);
  if (!pattern) return null;
  const rest = name.slice(pattern.id.length - 1);
  if (unsafe.test(rest)) return null;
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
