import { createHmac, timingSafeEqual } from "node:crypto";

const plainPrefix = "tollgate_console";
const plainName = `${plainPrefix}.session_token`;

/** Longer cookies are not looked at. */
const maxValueLength = 512;

/** With what the names of all cookies begin. No other host, and no page without TLS, can set one that begins with `__Host-`. */
export function cookiePrefix(isSecure: boolean): string {
  return isSecure ? `__Host-${plainPrefix}` : plainPrefix;
}

function sessionCookieName(isSecure: boolean): string {
  return isSecure ? `__Host-${plainName}` : plainName;
}

/**
 * The token in the cookie of a session, in the form of the library of sign-in: `TOKEN.SIGNATURE`, escaped for URLs, where the
 * signature is HMAC-SHA256 in base64. Null if there is no cookie, or its signature is wrong.
 * @param cookies the value of the header `Cookie`
 */
export function readSessionToken(cookies: string, isSecure: boolean, secret: string): string | null {
  const value = findCookie(cookies, sessionCookieName(isSecure));
  if (value === null || value.length > maxValueLength) return null;
  const signed = decode(value);
  const dot = signed.lastIndexOf(".");
  if (dot < 1) return null;
  const token = signed.slice(0, dot);
  const given = Buffer.from(signed.slice(dot + 1), "base64");
  const expected = createHmac("sha256", secret).update(token).digest();
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
}

/** Whether there is a cookie of a session, good or not. */
export function hasSessionCookie(cookies: string | null): boolean {
  return cookies !== null && cookies.includes(plainName);
}

/** The value of `Set-Cookie` that ends a session in the browser. */
export function endedCookie(isSecure: boolean): string {
  const attributes = `Max-Age=0; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return `${sessionCookieName(isSecure)}=; ${attributes}`;
}

/** The value of a cookie. @param cookies the value of the header `Cookie` */
export function findCookie(cookies: string, name: string): string | null {
  for (const pair of cookies.split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
