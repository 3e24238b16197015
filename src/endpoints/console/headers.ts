import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** What every answer of the console has: no script but its own, no frame around it, nothing for other sites to hold on to. */
export const consoleHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** An answer of JSON that nothing stores. @param cookies values of `Set-Cookie` */
export function consoleAnswer(body: unknown, status = 200, cookies: readonly string[] = []): Answer {
  return jsonAnswer(body, status, { ...consoleHeaders, "cache-control": "no-store", ...cookieHeaders(cookies) });
}

/** Names of one header: an answer has each name once, and browsers read them in any case. */
const cookieNames = ["set-cookie", "Set-Cookie", "Set-cookie", "set-Cookie", "SET-COOKIE", "SET-cookie"] as const;

/** @throws if there are more cookies than an answer of the console ever has */
export function cookieHeaders(cookies: readonly string[]): Record<string, string> {
  if (cookies.length > cookieNames.length) throw new Error(`An answer with ${cookies.length} cookies.`);
  return Object.fromEntries(cookies.map((cookie, index) => [cookieNames[index], cookie]));
}
