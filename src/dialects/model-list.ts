import { isObject } from "../json/values.ts";

/** The models that a provider lists. */
export interface ListedModels {
  /** The provider's own names. */
  readonly names: readonly string[];
  /** Whether there are more than these. */
  readonly isPartial: boolean;
}

/** How a provider is asked for its list of models. */
export interface ModelList {
  /** Below the base URL, with a query that asks for all at once if the vendor has pages. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the value is no such list. */
  readonly read: (answer: unknown) => ListedModels | null;
}

/** Reads `{"data":[{"id"}],"has_more"}`, the list of OpenAI, Anthropic and most servers. */
export function readModelData(answer: unknown): ListedModels | null {
  if (!isObject(answer) || !Array.isArray(answer.data)) return null;
  return { names: namesIn(answer.data, "id"), isPartial: answer.has_more === true };
}

/** Reads Google's `{"models":[{"name":"models/..."}],"nextPageToken"}`. */
export function readGoogleModels(answer: unknown): ListedModels | null {
  if (!isObject(answer) || !Array.isArray(answer.models)) return null;
  const names = namesIn(answer.models, "name").map((name) => name.replace(/^models\//, ""));
  return { names, isPartial: typeof answer.nextPageToken === "string" && answer.nextPageToken !== "" };
}

export function namesIn(items: readonly unknown[], field: string): string[] {
  return items.flatMap((item) => (isObject(item) && typeof item[field] === "string" ? [item[field]] : []));
}
