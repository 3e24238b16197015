import { authenticate } from "../access/authenticate.ts";
import { readCredential, type VendorKeyHeader } from "../access/credentials.ts";
import type { Identity } from "../access/identity.ts";
import type { Services } from "../pipeline/services.ts";

/** Who asks, on a path that reads and costs nothing. Throws a 401. */
export async function identify(
  services: Services,
  request: Request,
  keyHeader: VendorKeyHeader | null = null,
): Promise<Identity> {
  return authenticate(readCredential(request.headers, request.url, keyHeader), services.keys, services.clock);
}
