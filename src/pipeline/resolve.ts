import type { Identity } from "../access/identity.ts";
import { allowsEndpoint, allowsModel } from "../access/scopes.ts";
import { invalidRequest, permissionError } from "../errors.ts";
import { modelNotFound, type Catalog } from "../routing/catalog.ts";
import type { Model } from "../routing/model.ts";

/** 403 where the key may not call this endpoint at all. */
export function checkEndpointScope(identity: Identity, endpoint: string): void {
  if (allowsEndpoint(identity, endpoint)) return;
  throw permissionError("endpoint_not_allowed", `This API key may not use the endpoint '${endpoint}'.`);
}

/** The model behind a name, for a key and an endpoint. Throws a 404, a 403 or a 400, in that order. */
export function resolveModel(catalog: Catalog, identity: Identity, endpoint: string, name: string): Model {
  const model = catalog.find(name);
  if (!model) throw modelNotFound(name);
  if (!allowsModel(identity, model.id)) {
    throw permissionError("model_not_allowed", `This API key may not use the model '${model.id}'.`, "model");
  }
  if (!model.endpoints.includes(endpoint)) {
    const served = model.endpoints.join(", ");
    throw invalidRequest(
      "unsupported_endpoint",
      `The model '${model.id}' does not serve '${endpoint}', only: ${served}.`,
      "model",
    );
  }
  return model;
}
