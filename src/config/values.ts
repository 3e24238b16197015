import { parseDuration } from "./duration.ts";

/** Values of the configuration that are more than a number or a text. Each reader answers undefined to refuse. */

/** A provider's address, without a slash at its end. */
export function readBaseUrl(value: unknown): string | undefined {
  const url = parseWebAddress(value);
  if (url === null || url.search !== "" || url.hash !== "" || String(value).includes("?")) return undefined;
  return url.href.replace(/\/+$/, "");
}

/** The origin of a page as a browser says it, or `*`. */
export function readOrigin(value: unknown): string | undefined {
  if (value === "*") return value;
  const url = parseWebAddress(value);
  return url !== null && (value === url.origin || value === `${url.origin}/`) ? url.origin : undefined;
}

/** A host as a URL's parser writes it, without brackets: `media.example`, `10.0.0.5`, `fd00::5`. */
export function readHost(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[\w.:[\]-]{1,255}$/.test(value)) return undefined;
  const bare = value.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const url = URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}/`);
  return url === null || url.port !== "" ? undefined : url.hostname.replace(/^\[|\]$/g, "");
}

/** A day (`2026-01-31`), a moment (`2026-01-31T12:00:00Z`) or Unix seconds, as Unix seconds. */
export function readTime(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? readTimeText(value.trim()) : value;
  return typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 0 && seconds <= 253_402_300_799
    ? seconds
    : undefined;
}

function readTimeText(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const iso = /^(\d{4}-\d{2}-(\d{2}))(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const day = iso?.[1] === undefined ? null : new Date(`${iso[1]}T00:00:00Z`);
  // A day that does not exist, such as 2026-02-30, would silently be another.
  if (day === null || day.getUTCDate() !== Number(iso?.[2])) return Number.NaN;
  return Math.floor(Date.parse(text) / 1000);
}

/** A duration of at least a second, in milliseconds. */
export function readDuration(value: unknown): number | undefined {
  const milliseconds = typeof value === "string" ? parseDuration(value) : null;
  return milliseconds === null || milliseconds === 0 ? undefined : milliseconds;
}

function parseWebAddress(value: unknown): URL | null {
  if (typeof value !== "string" || value.length > 2_048 || /[\s\u0000-\u001f\\]/.test(value)) return null;
  const url = URL.parse(value);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  return url.username === "" && url.password === "" ? url : null;
}
