import type { Catalog } from "../dialect.ts";
import { Refusal } from "../refusal.ts";

/** `GET /v1beta/models`. */
export function listModels(catalog: Catalog): unknown {
  return { models: catalog.ids.map(writeModel) };
}

/** `GET /v1beta/models/{id}`. Throws Google's 404. */
export function describeModel(id: string, catalog: Catalog): unknown {
  if (catalog.has(id)) return writeModel(id);
  throw new Refusal(404, `Model is not found: models/${id.slice(0, 200)} for api version v1beta`);
}

function writeModel(id: string): unknown {
  return {
    name: `models/${id}`,
    version: "001",
    displayName: id,
    description: "A scripted model of the sandbox.",
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ["generateContent", "countTokens", "batchEmbedContents"],
    temperature: 1,
    maxTemperature: 2,
    topP: 0.95,
    topK: 64,
    thinking: true,
  };
}
