import { notFound } from "../errors.ts";
import type { Model } from "./model.ts";

/** All models that this gateway serves. */
export interface Catalog {
  readonly models: readonly Model[];
  find(id: string): Model | null;
}

export function createCatalog(models: readonly Model[]): Catalog {
  const byId = new Map(models.map((model) => [model.id, model]));
  return { models, find: (id) => byId.get(id) ?? null };
}

/** 404 for a name that leads nowhere. The name is cut, since it came from outside. */
export function modelNotFound(name: string): Error {
  return notFound("model_not_found", `The model '${name.slice(0, 100)}' does not exist.`, "model");
}
