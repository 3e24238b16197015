import type { Provider } from "./provider.ts";

/** Characters that are read at most. Redaction makes text shorter, so more is read than is kept. */
const maxRead = 65_536;

/** Configured headers with shorter values are switches (`on`, `true`), not secrets. */
const minSecretHeader = 8;

/** The ways in which a secret may be quoted, besides in capitals. */
function spellingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [...new Set([secret, encodeURIComponent(secret), base64])];
}

/**
 * A provider's message without credentials and addresses, which callers must not see.
 * @param maxLength characters kept
 */
export function redact(
  text: string,
  { apiKeys, baseUrl, headers }: Pick<Provider, "apiKeys" | "baseUrl" | "headers">,
  maxLength = 2_000,
): string {
  const secretHeaders = Object.values(headers).filter((value) => value.length >= minSecretHeader);
  const secrets = [...apiKeys, ...secretHeaders, new URL(baseUrl).host].flatMap(spellingsOf);
  const clean = text
    .slice(0, maxRead)
    .replace(new RegExp(secrets.map((secret) => RegExp.escape(secret)).join("|"), "gi"), "[redacted]")
    .replace(/\b(sk|pk|rk|gsk|xai|AIza)[-_]?[\w*.-]{11,}[\w*]/g, "[redacted]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [redacted]")
    .replace(/\bhttps?:\/\/[^\s"'<>)]+/gi, "[redacted]")
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, "[redacted]");
  // The end of what was read may be the beginning of a secret.
  const unsure = text.length > maxRead ? Math.max(64, ...secrets.map(({ length }) => length)) : 0;
  return clean.slice(0, Math.max(0, Math.min(maxLength, clean.length - unsure)));
}
