import { allowsModel } from "../access/scopes.ts";
import type { Services } from "../pipeline/services.ts";
import { modelNotFound } from "../routing/catalog.ts";
import type { Model } from "../routing/model.ts";
import { identify } from "./keyed.ts";

/** `GET /v1/models`: what this key may call, in OpenAI's list shape. */
export async function listModels(services: Services, request: Request): Promise<Response> {
  const identity = await identify(services, request);
  const models = services.catalog.models.filter((model) => allowsModel(identity, model.id));
  return Response.json({ object: "list", data: models.map(publicModel) });
}

/** `GET /v1/models/{id}`: a model this key may not call is as absent as one that does not exist. */
export async function retrieveModel(services: Services, request: Request, id: string): Promise<Response> {
  const identity = await identify(services, request);
  const model = services.catalog.find(id);
  if (!model || !allowsModel(identity, model.id)) throw modelNotFound(id);
  return Response.json(publicModel(model));
}

function publicModel(model: Model) {
  return { id: model.id, object: "model", created: model.created, owned_by: model.ownedBy };
}
