import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { cookiePrefix, findCookie } from "./session-cookie.ts";

/**
 * A cookie that says: in this browser this user has signed in before. It signs no one in. Attempts with it have a counter of
 * their own, so that strangers who guess at a password do not shut its user out.
 */
const lifetimeMs = 180 * 24 * 3_600_000;
const form = /^([A-Za-z0-9_-]{22})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

interface DeviceOwner {
  readonly email: string;
  readonly isSecure: boolean;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The id of the device, if it is one of this user. @param cookies the value of the header `Cookie` */
export function readDevice(cookies: string | null, { email, isSecure, secret, now }: DeviceOwner): string | null {
  const value = cookies === null ? null : findCookie(cookies, nameOf(isSecure));
  const [, id, endsAt, signature] = form.exec(value ?? "") ?? [];
  if (id === undefined || endsAt === undefined || signature === undefined || Number(endsAt) * 1000 <= now) return null;
  const given = Buffer.from(signature, "base64url");
  const expected = sign(secret, email, id, endsAt);
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null;
}

/** The value of `Set-Cookie` that makes a browser a device of its user. @param id that of the device before; null: a new one */
export function deviceCookie(id: string | null, { email, isSecure, secret, now }: DeviceOwner): string {
  const device = id ?? randomBytes(16).toString("base64url");
  const endsAt = String(Math.floor((now + lifetimeMs) / 1000));
  const value = `${device}.${endsAt}.${sign(secret, email, device, endsAt).toString("base64url")}`;
  const attributes = `Max-Age=${lifetimeMs / 1000}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return `${nameOf(isSecure)}=${value}; ${attributes}`;
}

function nameOf(isSecure: boolean): string {
  return `${cookiePrefix(isSecure)}.device`;
}

function sign(secret: string, email: string, id: string, endsAt: string): Buffer {
  return createHmac("sha256", secret).update(`${id}.${endsAt}.${email}`).digest();
}
