/** Where a caller may put the key. Every keyed path takes all of them. */

/** The header that a vendor's own SDK uses on that vendor's paths. */
export type VendorKeyHeader = "x-api-key" | "x-goog-api-key";

/**
 * The key as the caller sent it, or null where there is none. If several arrive, `preferred` (the path's own vendor
 * header) wins, then `Authorization: Bearer`, then `x-api-key`, `x-goog-api-key` and `?key=`. What comes back is not
 * checked in any way, and is a secret.
 * @param url whole or from its path on
 */
export function readCredential(headers: Headers, url: string, preferred: VendorKeyHeader | null): string | null {
  return (
    (preferred && keyHeader(headers, preferred)) ??
    bearerToken(headers) ??
    keyHeader(headers, "x-api-key") ??
    keyHeader(headers, "x-goog-api-key") ??
    keyParameter(url)
  );
}

/** The URL without its `key` parameters, fit for a log or for sending on. All else stays as it was written. */
export function stripKeyParameter(url: string): string {
  const start = url.indexOf("?");
  if (start === -1) return url;
  const fragment = url.indexOf("#", start);
  const end = fragment === -1 ? url.length : fragment;
  const parameters = url.slice(start + 1, end).split("&");
  const kept = parameters.filter((parameter) => parameterName(parameter) !== "key");
  if (kept.length === parameters.length) return url;
  return url.slice(0, start) + (kept.length > 0 ? `?${kept.join("&")}` : "") + url.slice(end);
}

function keyHeader(headers: Headers, name: VendorKeyHeader): string | null {
  return headers.get(name)?.trim() || null;
}

function bearerToken(headers: Headers): string | null {
  const value = headers.get("authorization")?.trim();
  if (!value) return null;
  const scheme = value.slice(0, 6);
  if (scheme !== "Bearer" && scheme.toLowerCase() !== "bearer") return null;
  const separator = value.charAt(6);
  return separator === " " || separator === "\t" ? value.slice(7).trim() || null : null;
}

function keyParameter(url: string): string | null {
  const start = url.indexOf("?");
  if (start === -1) return null;
  const query = url.slice(start + 1).split("#", 1)[0] ?? "";
  for (const parameter of query.split("&")) {
    if (parameterName(parameter) !== "key") continue;
    const equals = parameter.indexOf("=");
    const value = equals === -1 ? "" : decode(parameter.slice(equals + 1)).trim();
    if (value !== "") return value;
  }
  return null;
}

/** Decoded, so that `%6bey=` is seen for the `key` that a URL parser makes of it. */
function parameterName(parameter: string): string {
  return decode(parameter.split("=", 1)[0] ?? "");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
