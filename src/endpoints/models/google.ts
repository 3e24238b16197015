import { invalidParameter } from "../../errors.ts";
import type { Model } from "../../routing/names/model.ts";
import { readPageSize } from "./page.ts";

/** One page in Google's list shape. Throws a 400 naming the parameter that leads nowhere. */
export function listForGoogle(models: readonly Model[], query: URLSearchParams) {
  const size = readPageSize(query, "pageSize");
  const start = readPageToken(query.get("pageToken"), models.length);
  const end = start + size;
  const next = end < models.length ? { nextPageToken: String(end) } : {};
  return { models: models.slice(start, end).map(modelForGoogle), ...next };
}

/** Google's names of what can be asked of a model, by endpoint. */
const methods: Readonly<Record<string, readonly string[]>> = {
  generate_content: ["generateContent", "streamGenerateContent", "countTokens"],
  embeddings: ["embedContent", "batchEmbedContents"],
};

/** A model in Google's shape, without fields that are not known. */
export function modelForGoogle(model: Model) {
  return {
    name: `models/${model.id}`,
    displayName: model.name,
    ...(model.description === null ? {} : { description: model.description }),
    ...(model.contextLength === null ? {} : { inputTokenLimit: model.contextLength }),
    ...(model.maxOutputTokens === null ? {} : { outputTokenLimit: model.maxOutputTokens }),
    supportedGenerationMethods: Object.entries(methods).flatMap(([endpoint, names]) =>
      model.endpoints.includes(endpoint) ? names : [],
    ),
    maxTemperature: model.temperature.max,
  };
}

/** The index at which a page begins, from the page before it. */
function readPageToken(token: string | null, length: number): number {
  if (token === null || token === "") return 0;
  const start = /^\d{1,6}$/.test(token) ? Number(token) : length;
  if (start >= length) throw invalidParameter("pageToken", "the nextPageToken of an earlier page");
  return start;
}
