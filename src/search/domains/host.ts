/** An address of the web as it may be given to a caller. */
export interface WebAddress {
  readonly url: string;
  /** Lower case, punycode, without a dot at its end. */
  readonly host: string;
}

/** Longer addresses are no results. */
const maxLength = 8_192;

/** Most addresses of results: with a named host, a path and nothing that would be written otherwise. */
const plainAddress = /^https?:\/\/([a-z\d.-]+\.[a-z]{2,63})\/[\w~!$()*+,;:@&=./-]*(?:\?[\w~!$()*+,;:@&=./?%-]*)?$/;
/** Steps up or down a path, and punycode, which `URL` checks. */
const unusual = /\/\.|xn--/;

/**
 * The address and host of a result; null if it is not a plain http or https address: another scheme, a user or password,
 * an empty label in its host.
 */
export function readAddress(text: string): WebAddress | null {
  const plainHost = text.length > maxLength ? undefined : plainAddress.exec(text)?.[1];
  if (plainHost !== undefined && !unusual.test(text)) return isHost(plainHost) ? { url: text, host: plainHost } : null;
  if (text.length > maxLength || !/^\s*https?:\/\//i.test(text)) return null;
  let parsed: URL;
  try {
    parsed = new URL(text);
  } catch {
    return null;
  }
  if (parsed.username !== "" || parsed.password !== "") return null;
  const host = withoutFinalDot(parsed.hostname);
  return isHost(host) ? { url: parsed.href, host } : null;
}

/** The host of a plain http or https address; null if it is none. */
export function hostOf(url: string): string | null {
  return readAddress(url)?.host ?? null;
}

/**
 * A domain of a list in the form of `WebAddress.host`: lower case, punycode. Null if it is not the name of a host alone:
 * with a scheme, path, port, user, wildcard, space or empty label. An address of IP version 4 or 6 is one.
 */
export function readDomain(entry: string): string | null {
  const text = withoutFinalDot(entry);
  if (text === "" || text.length > 253 || /[\s/\\?#@:*%,;"'<>()|&=+!$^`{}~]/u.test(text)) return readIpv6(entry);
  let host: string;
  try {
    host = new URL(`https://${text}/`).hostname;
  } catch {
    return null;
  }
  // Numbers in other notations than the usual become addresses.
  if (isIpv4(host) && host !== text) return null;
  return isHost(host) ? host : null;
}

/** A text by which the same page is found twice: without scheme, fragment, tracking and a slash at its end. */
export function canonicalUrl({ url, host }: WebAddress): string {
  const begin = url.indexOf("//") + 2;
  const fragment = url.indexOf("#");
  const rest = url.slice(begin, fragment < 0 ? undefined : fragment);
  const slash = rest.indexOf("/");
  const port = slash === host.length ? "" : (/:\d+$/.exec(rest.slice(0, slash))?.[0] ?? "");
  const mark = rest.indexOf("?");
  const path = rest.slice(slash, mark < 0 ? undefined : mark).replace(/\/$/, "");
  return `${host}${port}${path}${mark < 0 ? "" : withoutTracking(rest.slice(mark + 1))}`;
}

function withoutTracking(query: string): string {
  const kept = query.split("&").filter((parameter) => parameter !== "" && !tracking.test(parameter));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

const tracking = /^(utm_[a-z_]+|gclid|fbclid|msclkid|mc_cid|mc_eid|srsltid)(=|$)/;

export function isIpAddress(host: string): boolean {
  return host.startsWith("[") || isIpv4(host);
}

function isIpv4(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
}

function readIpv6(entry: string): string | null {
  if (!/^\[?[0-9a-fA-F:.]{2,45}\]?$/.test(entry) || !entry.includes(":")) return null;
  const bare = entry.replace(/^\[|\]$/g, "");
  try {
    return new URL(`https://[${bare}]/`).hostname;
  } catch {
    return null;
  }
}

function withoutFinalDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

/** Labels of letters, digits, dashes and underscores, none of them empty or too long; or an address in brackets. */
function isHost(host: string): boolean {
  if (host.startsWith("[")) return true;
  return host.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(host);
}
