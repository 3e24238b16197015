import { bareModelName } from "../dialects/gemini/fields.ts";
import { invalidParameter } from "../errors.ts";
import type { Services } from "../pipeline/services.ts";
import type { Model } from "../routing/model.ts";
import { modelOfKey, modelsOfKey } from "./models.ts";
import { readPageSize } from "./models-page.ts";

/** `GET /v1beta/models`: what this key may call, in Google's list shape. */
export async function listGeminiModels(services: Services, request: Request): Promise<Response> {
  const models = await modelsOfKey(services, request, "x-goog-api-key");
  const query = new URL(request.url).searchParams;
  const size = readPageSize(query, "pageSize");
  const start = readPageToken(query.get("pageToken"), models.length);
  const end = start + size;
  const next = end < models.length ? { nextPageToken: String(end) } : {};
  return Response.json({ models: models.slice(start, end).map(modelForGoogle), ...next });
}

/** `GET /v1beta/models/{id}` */
export async function retrieveGeminiModel(services: Services, request: Request, id: string): Promise<Response> {
  return Response.json(modelForGoogle(await modelOfKey(services, request, "x-goog-api-key", bareModelName(id))));
}

function modelForGoogle(model: Model) {
  const generates = model.endpoints.includes("generate_content");
  return {
    name: `models/${model.id}`,
    displayName: model.name,
    ...(model.description === null ? {} : { description: model.description }),
    ...(model.contextLength === null ? {} : { inputTokenLimit: model.contextLength }),
    ...(model.maxOutputTokens === null ? {} : { outputTokenLimit: model.maxOutputTokens }),
    supportedGenerationMethods: generates ? ["generateContent", "streamGenerateContent", "countTokens"] : [],
    maxTemperature: model.temperature.max,
  };
}

/** The place at which a page begins, as the page before it said. */
function readPageToken(token: string | null, length: number): number {
  if (token === null || token === "") return 0;
  const start = /^\d{1,6}$/.test(token) ? Number(token) : length;
  if (start >= length) throw invalidParameter("pageToken", "the nextPageToken of an earlier page");
  return start;
}
