import type { RequestHeaders } from "../http/headers.ts";
import { isKeyId, keyPrefix } from "./key-format.ts";

/** The header in which a vendor's SDK sends the key. */
export type VendorKeyHeader = "x-api-key" | "x-goog-api-key";

/**
 * Reads the API key of a request; null if there is none. All paths accept the key in all places. In order of precedence:
 * `preferred` (the vendor header of the path), `Authorization: Bearer`, `x-api-key`, `x-goog-api-key`, `?key=`, and an
 * `Authorization` without a scheme, which counts as `Bearer` if it holds one of Tollgate's own keys. The result is not
 * validated, and it is a secret.
 * @param url absolute, or starting at the path
 */
export function readCredential(headers: RequestHeaders, url: string, preferred: VendorKeyHeader | null): string | null {
  return (
    (preferred && keyHeader(headers, preferred)) ??
    bearerToken(headers) ??
    keyHeader(headers, "x-api-key") ??
    keyHeader(headers, "x-goog-api-key") ??
    keyParameter(url) ??
    bareAuthorization(headers)
  );
}

/** Removes the `key` parameters from a URL, for logs and for forwarding. The rest is unchanged. */
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

function keyHeader(headers: RequestHeaders, name: VendorKeyHeader): string | null {
  return headers.get(name)?.trim() || null;
}

function bearerToken(headers: RequestHeaders): string | null {
  const value = headers.get("authorization")?.trim();
  if (!value) return null;
  if (value.startsWith(keyPrefix)) return value;
  const scheme = value.slice(0, 6);
  if (scheme !== "Bearer" && scheme.toLowerCase() !== "bearer") return null;
  const separator = value.charAt(6);
  return separator === " " || separator === "\t" ? value.slice(7).trim() || null : null;
}

/** A credential whose scheme was forgotten: one word that is not a scheme itself. */
function bareAuthorization(headers: RequestHeaders): string | null {
  const value = headers.get("authorization")?.trim();
  return value && !/\s|^(bearer|basic|digest|negotiate)$/i.test(value) ? value : null;
}

function keyParameter(url: string): string | null {
  const start = url.indexOf("?");
  if (start === -1) return null;
  const query = url.slice(start + 1).split("#", 1)[0] ?? "";
  for (const parameter of query.split("&")) {
    if (parameterName(parameter) !== "key") continue;
    const equals = parameter.indexOf("=");
    const value = equals === -1 ? "" : decode(parameter.slice(equals + 1)).trim();
    // The lists of usage have a filter of this name, which takes the id of a key.
    if (value !== "" && !isKeyId(value)) return value;
  }
  return null;
}

/** Decoded, because URL parsers read `%6bey=` as `key=`. */
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

/** Key prefixes of well-known vendors, longer ones before shorter ones that they begin with. */
const vendors: readonly (readonly [prefix: string, vendor: string])[] = [
  ["sk-ant-", "Anthropic"],
  ["sk-or-", "OpenRouter"],
  ["sk-proj-", "OpenAI"],
  ["sk-svcacct-", "OpenAI"],
  ["sk-admin-", "OpenAI"],
  ["AIza", "Google"],
  ["gsk_", "Groq"],
  ["xai-", "xAI"],
  ["hf_", "Hugging Face"],
];

/** The vendor that a key seems to belong to, and its prefix, which is not secret; null if unknown. */
export function vendorOfKey(credential: string): { readonly vendor: string; readonly prefix: string } | null {
  const [prefix, vendor] = vendors.find(([beginning]) => credential.startsWith(beginning)) ?? [];
  return prefix !== undefined && vendor !== undefined ? { vendor, prefix } : null;
}
