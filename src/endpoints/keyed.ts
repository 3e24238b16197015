import type { ServerExchange } from "../server/exchange.ts";
import { authenticate } from "../access/authenticate.ts";
import { checkAddress } from "../access/caller-address.ts";
import { readCredential, type VendorKeyHeader } from "../access/credentials.ts";
import type { Identity } from "../access/identity.ts";
import type { Actor } from "../changes/change.ts";
import { identityOf, requireSession, userOf } from "../console/session.ts";
import { hasSessionCookie } from "../console/session-cookie.ts";
import { permissionError } from "../errors.ts";
import type { Services } from "../pipeline/services.ts";
import type { RecordOwner } from "../usage/read-filter.ts";

/**
 * Authenticates a request to a path that reads and is not billed: by its key or, if it has none, by its session of the console.
 * Throws a 401; or a 403 if a forged request may have brought the session, or the key may not be used from its address.
 */
export async function identify(
  services: Services,
  request: ServerExchange,
  keyHeader: VendorKeyHeader | null = null,
  target = request.target,
): Promise<Identity> {
  const credential = readCredential(request.headers, target, keyHeader);
  const { console } = services;
  if (credential === null && console !== null && hasSession(services, request)) {
    return identityOf((await requireSession(console, request, services)).user);
  }
  return authenticateAt(services, request, credential);
}

function hasSession({ console }: Services, { headers }: ServerExchange): boolean {
  return console !== null && hasSessionCookie(headers.get("cookie"));
}

/** Authenticates a request to a path of callers that changes something, where a session of the console is none. Throws a 401 or 403. */
export async function identifyKey(services: Services, request: ServerExchange): Promise<Identity> {
  return authenticateAt(services, request, readCredential(request.headers, request.target, null));
}

async function authenticateAt(
  services: Services,
  request: ServerExchange,
  credential: string | null,
): Promise<Identity> {
  const identity = await authenticate(credential, services.keys, services.clock);
  if (identity.ipRanges !== null) checkAddress(identity.ipRanges, request, services.trustedProxies);
  return identity;
}

/** Authenticates a request to a path for operators. Throws a 401, or a 403 if its key or user is no operator's. */
export async function identifyAdmin(
  services: Services,
  request: ServerExchange,
  target = request.target,
): Promise<Identity> {
  const identity = await identify(services, request, null, target);
  if (identity.key.admin) return identity;
  if (userOf(identity) !== null) throw permissionError("role_not_allowed", "This needs the role owner or operator.");
  const message = "This path is for operators. Use a key made with 'tollgate keys create --admin'.";
  throw permissionError("endpoint_not_allowed", message);
}

/** The same at a path where `key` in the query is the id of a key: beside a session it is no credential. */
export async function identifyAdminOfKeys(services: Services, request: ServerExchange): Promise<Identity> {
  const [path = ""] = request.target.split("?", 1);
  return identifyAdmin(services, request, hasSession(services, request) ? path : request.target);
}

/** Authenticates as `identifyAdmin`, and says who makes a change. */
export async function adminActor(services: Services, request: ServerExchange): Promise<Actor> {
  return actorOf(await identifyAdmin(services, request));
}

/** The one who makes a change. */
export function actorOf(identity: Identity): Actor {
  const user = userOf(identity);
  return user === null ? { kind: "key", id: identity.key.id } : { kind: "console", user: user.email };
}

/** Whose records may be read: those of a key, or of the account of a user. */
export function ownRecords(identity: Identity): RecordOwner {
  const { id, accountId } = identity.key;
  return userOf(identity) === null ? { keyId: id, accountId: null } : { keyId: null, accountId };
}
