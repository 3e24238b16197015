import { createHmac, timingSafeEqual } from "node:crypto";
import { compileIdentity, type Identity } from "../access/identity.ts";
import type { ApiKey } from "../access/key.ts";
import { noTags } from "../attribution/attribution.ts";
import type { Clock } from "../clock.ts";
import { authenticationError, overloaded, permissionError } from "../errors.ts";
import type { RequestHeaders } from "../http/headers.ts";
import type { Log } from "../log.ts";
import type { Console } from "./console.ts";
import type { StoredSession } from "./console-store.ts";
import { checkReader, checkSameOrigin, csrfError } from "./origin.ts";
import { readSessionToken } from "./session-cookie.ts";
import type { ConsoleUser, Role } from "./user.ts";

/** The header that carries the token of a session against forged requests. */
const csrfHeader = "x-console-csrf";
/** The account of users that have none of their own, on the paths of callers. */
const defaultAccountId = "default";

/** A request by a browser. */
interface BrowserRequest {
  readonly method: string;
  readonly headers: RequestHeaders;
}

interface SessionTools {
  readonly clock: Clock;
  readonly log: Log;
}

/** A user of the console in place of an API key. */
export interface UserIdentity extends Identity {
  readonly user: ConsoleUser;
}

/**
 * The session of a request, if it comes from the console itself.
 * @throws 401 if there is none, or it has ended; 403 if a page of another site, or a forged request, may have sent it; 503 if
 *   the storage does not answer
 */
export async function requireSession(
  console: Console,
  { method, headers }: BrowserRequest,
  { clock, log }: SessionTools,
): Promise<StoredSession> {
  const session = await findSession(console, headers, { clock, log });
  if (session === null) throw authenticationError("not_signed_in", "Sign in to the console.");
  const site = console.siteOf(headers);
  if (method === "GET" || method === "HEAD") {
    checkReader(headers, site);
    return session;
  }
  checkSameOrigin(headers, site);
  const expected = Buffer.from(csrfToken(console, session));
  const given = Buffer.from(headers.get(csrfHeader) ?? "");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw csrfError("the header 'X-Console-CSRF' is missing or wrong");
  }
  return session;
}

/** The session that the cookie of a request names, wherever it comes from. Null if there is none, or it has ended. */
export async function findSession(
  console: Console,
  headers: RequestHeaders,
  { clock, log }: SessionTools,
): Promise<StoredSession | null> {
  const cookies = headers.get("cookie");
  if (cookies === null) return null;
  const token = readSessionToken(cookies, console.siteOf(headers).isSecure, console.secrets().cookies);
  if (token === null) return null;
  try {
    return await console.store.findSession(token, clock.now());
  } catch (error) {
    log.warn({ error: String(error) }, "A session of the console cannot be read.");
    throw overloaded("storage_unavailable", "The session cannot be checked at the moment.", 5);
  }
}

/** What requests of a session that change something carry in `X-Console-CSRF`. */
export function csrfToken(console: Console, { id }: StoredSession): string {
  return createHmac("sha256", console.secrets().csrf).update(id).digest("base64url");
}

/** A user as one who asks: an owner or operator as an admin key does, a member as a key of its account. */
export function identityOf(user: ConsoleUser): UserIdentity {
  const key: ApiKey = {
    // No id of a key has a colon.
    id: `user:${user.id}`,
    name: user.email,
    secretHash: "",
    previousSecretHash: null,
    previousExpiresAt: null,
    createdAt: user.createdAt,
    expiresAt: null,
    disabledAt: null,
    scopes: { models: null, endpoints: null },
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    admin: user.role !== "member",
    accountId: user.accountId ?? defaultAccountId,
    tags: noTags,
  };
  return { ...compileIdentity(key), user };
}

/** The user behind an identity; null if it is a key. */
export function userOf(identity: Identity): ConsoleUser | null {
  return "user" in identity ? (identity as UserIdentity).user : null;
}

/** @throws 403 if the user has another role */
export function requireRole(user: ConsoleUser, role: Role): void {
  if (user.role !== role) throw permissionError("role_not_allowed", `This needs the role ${role}.`);
}
