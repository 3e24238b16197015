import { notFound } from "../../errors.ts";
import type { Health } from "../health/health.ts";
import type { Model } from "./model.ts";
import { isPattern, modelByPattern, sortedPatterns } from "./pattern.ts";

/** All models that this gateway serves. */
export interface Catalog {
  /** Those with a name of their own, in the order of the configuration. */
  readonly models: readonly Model[];
  /** By id, or by the pattern that fits it. */
  find(id: string): Model | null;
  /** Models that a pattern has made of the names callers used lately. */
  readonly derived: Iterable<Model>;
}

/** Names that callers of a pattern used: beyond this many the oldest are forgotten. */
const mostDerived = 10_000;

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
    if (derived.size >= mostDerived && oldest !== undefined) derived.delete(oldest);
    derived.set(id, model);
    return model;
  };

  return {
    models: named,
    find: (id) => byId.get(id) ?? derive(id),
    get derived() {
      return derived.values();
    },
  };
}

/** 404 for a name that leads nowhere. The name is cut, since it came from outside. */
export function modelNotFound(name: string): Error {
  return notFound("model_not_found", `The model '${name.slice(0, 100)}' does not exist.`, "model");
}
