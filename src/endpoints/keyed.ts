import type { ServerExchange } from "../server/exchange.ts";
import { authenticate } from "../access/authenticate.ts";
import { readCredential, type VendorKeyHeader } from "../access/credentials.ts";
import type { Identity } from "../access/identity.ts";
import type { Actor } from "../changes/change.ts";
import { permissionError } from "../errors.ts";
import type { Services } from "../pipeline/services.ts";

/** Authenticates a request to a path that reads and is not billed. Throws a 401. */
export async function identify(
  services: Services,
  request: ServerExchange,
  keyHeader: VendorKeyHeader | null = null,
): Promise<Identity> {
  return authenticate(readCredential(request.headers, request.target, keyHeader), services.keys, services.clock);
}

/** Authenticates a request to a path for operators. Throws a 401, or a 403 if the key is not an admin key. */
export async function identifyAdmin(services: Services, request: ServerExchange): Promise<Identity> {
  const identity = await identify(services, request);
  if (identity.key.admin) return identity;
  const message = "This path is for operators. Use a key made with 'tollgate keys create --admin'.";
  throw permissionError("endpoint_not_allowed", message);
}

/** The same, as the one who makes a change. */
export async function adminActor(services: Services, request: ServerExchange): Promise<Actor> {
  return { kind: "key", id: (await identifyAdmin(services, request)).key.id };
}
