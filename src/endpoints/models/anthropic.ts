import { invalidParameter } from "../../errors.ts";
import type { Model } from "../../routing/names/model.ts";
import { readPageSize } from "./page.ts";

/** One page in Anthropic's list shape. Throws a 400 naming the parameter that leads nowhere. */
export function listForAnthropic(models: readonly Model[], query: URLSearchParams) {
  const limit = readPageSize(query, "limit");
  const after = placeOf(models, query, "after_id");
  const before = placeOf(models, query, "before_id");
  const start = before === null ? (after ?? -1) + 1 : Math.max(0, before - limit);
  const page = models.slice(start, before ?? start + limit);
  return {
    data: page.map(modelForAnthropic),
    has_more: before === null ? start + limit < models.length : start > 0,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

/** A model in Anthropic's shape, without the fields that are not known of any model (lifecycle, capabilities). */
export function modelForAnthropic(model: Model) {
  return {
    type: "model",
    id: model.id,
    display_name: model.name,
    created_at: asTime(model.created),
    max_input_tokens: model.contextLength,
    max_tokens: model.maxOutputTokens,
    context_window: model.contextLength,
    deprecated_at: model.deprecatedAt === null ? null : asTime(model.deprecatedAt),
  };
}

function placeOf(models: readonly Model[], query: URLSearchParams, name: string): number | null {
  const id = query.get(name);
  if (id === null) return null;
  const place = models.findIndex((model) => model.id === id);
  if (place < 0) throw invalidParameter(name, "the id of a model");
  return place;
}

/** Unix seconds as RFC 3339. */
function asTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
