import type { Catalog } from "../dialect.ts";
import { Refusal } from "../refusal.ts";

/** `GET /v1/models` in Anthropic's format. */
export function listModels(catalog: Catalog): unknown {
  const { ids } = catalog;
  return { data: ids.map(writeModel), has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
}

/** `GET /v1/models/{id}`. Throws Anthropic's 404. */
export function describeModel(id: string, catalog: Catalog): unknown {
  if (catalog.has(id)) return writeModel(id);
  throw new Refusal(404, `model: ${id.slice(0, 200)}`);
}

function writeModel(id: string): unknown {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: 200_000,
    max_tokens: 64_000,
  };
}
