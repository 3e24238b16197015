import type { VendorKeyHeader } from "../access/credentials.ts";
import { allowsModel } from "../access/scopes.ts";
import type { Services } from "../pipeline/services.ts";
import { modelNotFound } from "../routing/catalog.ts";
import type { Model } from "../routing/model.ts";
import { identify } from "./keyed.ts";

/** The models that the key of a request may call. Throws a 401. */
export async function modelsOfKey(
  services: Services,
  request: Request,
  keyHeader: VendorKeyHeader | null,
): Promise<Model[]> {
  const identity = await identify(services, request, keyHeader);
  return services.catalog.models.filter((model) => allowsModel(identity, model.id));
}

/** One of them: a model this key may not call is as absent as one that does not exist. Throws a 401 or a 404. */
export async function modelOfKey(
  services: Services,
  request: Request,
  keyHeader: VendorKeyHeader | null,
  id: string,
): Promise<Model> {
  const identity = await identify(services, request, keyHeader);
  const model = services.catalog.find(id);
  if (!model || !allowsModel(identity, model.id)) throw modelNotFound(id);
  return model;
}
