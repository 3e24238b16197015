import type { Health } from "../health/health.ts";
import type { Model } from "./model.ts";
import { isPattern, modelByPattern, sortedPatterns } from "./pattern.ts";

/** The models that this gateway serves. */
export interface Catalog {
  /** Models that are not patterns, in the order of the configuration. */
  readonly models: readonly Model[];
  /** The models that are patterns: `openai/*`. */
  readonly patternModels: readonly Model[];
  /** Their ids. */
  readonly patterns: readonly string[];
  /** Finds a model by its id, or derives it from the pattern that matches; null if there is none. */
  find(id: string): Model | null;
  /** Models derived from patterns, for names that callers used recently. */
  readonly derived: Iterable<Model>;
}

/** Maximum number of derived models. Beyond it the oldest are dropped. */
const maxDerived = 10_000;

export function createCatalog(models: readonly Model[], health: Health): Catalog {
  const named = models.filter((model) => !isPattern(model));
  const byId = new Map(named.map((model) => [model.id, model]));
  const patterns = sortedPatterns(models);
  const derived = new Map<string, Model>();

  const derive = (id: string): Model | null => {
    const known = derived.get(id);
    if (known) return known;
    const model = modelByPattern(patterns, id, health);
    if (!model) return null;
    const [oldest] = derived.keys();
    if (derived.size >= maxDerived && oldest !== undefined) derived.delete(oldest);
    derived.set(id, model);
    return model;
  };

  return {
    models: named,
    patternModels: models.filter(isPattern),
    patterns: models.filter(isPattern).map(({ id }) => id),
    find: (id) => byId.get(id) ?? derive(id),
    get derived() {
      return derived.values();
    },
  };
}

/** A catalog whose models are replaced while the gateway runs. A request keeps those that it was planned with. */
export interface ChangingCatalog extends Catalog {
  set(models: readonly Model[]): void;
}

export function createChangingCatalog(models: readonly Model[], health: Health): ChangingCatalog {
  let current = createCatalog(models, health);
  return {
    get models() {
      return current.models;
    },
    get patternModels() {
      return current.patternModels;
    },
    get patterns() {
      return current.patterns;
    },
    get derived() {
      return current.derived;
    },
    find: (id) => current.find(id),
    set(next) {
      current = createCatalog(next, health);
    },
  };
}
