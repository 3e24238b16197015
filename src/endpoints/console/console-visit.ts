import type { z } from "zod";
import { callerAddress } from "../../access/caller-address.ts";
import type { Console } from "../../console/console.ts";
import type { StoredSession } from "../../console/console-store.ts";
import { checkSameOrigin } from "../../console/origin.ts";
import { requireRole, requireSession } from "../../console/session.ts";
import type { ConsoleUser } from "../../console/user.ts";
import { notFound } from "../../errors.ts";
import { readInput } from "../admin/input/read-input.ts";
import type { Visit } from "../visit.ts";

/** @throws 404 if there is no console */
export function consoleOf({ services, path }: Visit): Console {
  if (services.console !== null) return services.console;
  throw notFound(
    "unknown_path",
    `Unknown path ${path.slice(0, 200)}. The console is switched off in the configuration.`,
  );
}

/** The session of a request. @throws 401, or 403 if it may be forged */
export async function sessionOf(visit: Visit): Promise<StoredSession> {
  return requireSession(consoleOf(visit), visit.request, visit.services);
}

/** The same of an owner. @throws 403 if it is someone else's */
export async function ownerSession(visit: Visit): Promise<StoredSession> {
  const session = await sessionOf(visit);
  requireRole(session.user, "owner");
  return session;
}

/**
 * An owner who asks for a change, and the body of the request. While a body comes the owner can be removed or get another role:
 * what was checked before it is checked again after it.
 * @throws 403 if it is someone else's; 400 naming the field
 */
export async function ownerInput<Schema extends z.ZodType>(
  visit: Visit,
  schema: Schema,
): Promise<{ readonly owner: ConsoleUser; readonly input: z.output<Schema> }> {
  await ownerSession(visit);
  const input = await readInput(visit, schema);
  const { user: owner } = await ownerSession(visit);
  return { owner, input };
}

/** The console, for a request that changes something without a session. @throws 403 if another site sent it */
export function openConsole(visit: Visit): Console {
  const console = consoleOf(visit);
  checkSameOrigin(visit.request.headers, console.siteOf(visit.request.headers));
  return console;
}

/**
 * The address of the caller. With `server.trusted_proxies` it is found as that of a key's caller is. Without them, behind a proxy
 * of this machine or a private network, it is the last one of `X-Forwarded-For` if `public_url` says that there is a proxy.
 */
export function addressOf(visit: Visit): string {
  const { request, services } = visit;
  const { trustedProxies } = services;
  if (trustedProxies !== null) return callerAddress(request, trustedProxies) ?? request.remoteAddress;
  const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  const isBehindProxy = consoleOf(visit).settings.publicUrl !== null && isPrivate(request.remoteAddress);
  return isBehindProxy && /^[0-9a-fA-F.:]{2,45}$/.test(forwarded) ? forwarded : request.remoteAddress;
}

function isPrivate(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, "");
  return /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe80:)/i.test(plain);
}
