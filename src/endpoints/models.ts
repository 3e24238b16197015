import { allowsModel } from "../access/scopes.ts";
import type { Services } from "../pipeline/services.ts";
import { modelNotFound } from "../routing/catalog.ts";
import type { Model } from "../routing/model.ts";
import { identify } from "./keyed.ts";
import { listForAnthropic, modelForAnthropic } from "./models-anthropic.ts";

/** `GET /v1/models`: what this key may call, in the list shape of OpenAI, or of Anthropic for its SDK. */
export async function listModels(services: Services, request: Request): Promise<Response> {
  if (asksAnthropic(request.headers)) {
    const models = await modelsOfKey(services, request, "x-api-key");
    return Response.json(listForAnthropic(models, new URL(request.url).searchParams));
  }
  const models = await modelsOfKey(services, request, null);
  return Response.json({ object: "list", data: models.map(publicModel) });
}

/** `GET /v1/models/{id}`: a model this key may not call is as absent as one that does not exist. */
export async function retrieveModel(services: Services, request: Request, id: string): Promise<Response> {
  if (asksAnthropic(request.headers)) {
    return Response.json(modelForAnthropic(await modelOfKey(services, request, "x-api-key", id)));
  }
  return Response.json(publicModel(await modelOfKey(services, request, null, id)));
}

/** One path serves two vendors' SDKs: only Anthropic's names a version. */
export function asksAnthropic(headers: Headers): boolean {
  return headers.has("anthropic-version");
}

/** The models that the key of a request may call. Throws a 401. */
export async function modelsOfKey(
  services: Services,
  request: Request,
  keyHeader: Parameters<typeof identify>[2],
): Promise<Model[]> {
  const identity = await identify(services, request, keyHeader);
  return services.catalog.models.filter((model) => allowsModel(identity, model.id));
}

/** One of them. Throws a 401 or a 404. */
export async function modelOfKey(
  services: Services,
  request: Request,
  keyHeader: Parameters<typeof identify>[2],
  id: string,
): Promise<Model> {
  const identity = await identify(services, request, keyHeader);
  const model = services.catalog.find(id);
  if (!model || !allowsModel(identity, model.id)) throw modelNotFound(id);
  return model;
}

function publicModel(model: Model) {
  return { id: model.id, object: "model", created: model.created, owned_by: model.ownedBy };
}
