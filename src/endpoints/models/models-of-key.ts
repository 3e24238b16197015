import type { ServerExchange } from "../../server/exchange.ts";
import type { VendorKeyHeader } from "../../access/credentials.ts";
import { allowsModel } from "../../access/scopes.ts";
import type { Services } from "../../pipeline/services.ts";
import { modelNotFound } from "../../routing/names/model-not-found.ts";
import { asListed } from "../../routing/names/listed.ts";
import type { Model } from "../../routing/names/model.ts";
import { identify } from "../keyed.ts";

/** The models, then the routes, that the key of a request may call. Throws a 401. */
export async function modelsOfKey(
  services: Services,
  request: ServerExchange,
  keyHeader: VendorKeyHeader | null,
): Promise<Model[]> {
  const identity = await identify(services, request, keyHeader);
  const models = services.catalog.models.filter((model) => allowsModel(identity, model.id));
  const routes = services.names.routes.entries().map(([name, route]) => asListed(name, route, identity));
  return [...models, ...routes.filter((route) => route !== null)];
}

/** One of them: what this key may not call is as absent as what does not exist. Throws a 401 or a 404. */
export async function modelOfKey(
  services: Services,
  request: ServerExchange,
  keyHeader: VendorKeyHeader | null,
  id: string,
): Promise<Model> {
  const identity = await identify(services, request, keyHeader);
  const destination = services.names.find(id);
  const model = destination && asListed(id, destination, identity);
  if (!model) throw modelNotFound(id, services.names, identity);
  return model;
}
