import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDuration } from "./duration.ts";

// The readers return undefined for an invalid value.

/** Reads a provider's base URL, without a trailing slash. */
export function readBaseUrl(value: unknown): string | undefined {
  const url = parseWebAddress(value);
  if (url === null || url.search !== "" || url.hash !== "" || String(value).includes("?")) return undefined;
  return url.href.replace(/\/+$/, "");
}

/** Reads the name of an OIDC issuer, which is compared as it is written: also with a slash at its end. */
export function readIssuer(value: unknown): string | undefined {
  return readBaseUrl(value) === undefined ? undefined : String(value);
}

/** Reads the address of a webhook, which may have a query. */
export function readWebhookUrl(value: unknown): string | undefined {
  const url = parseWebAddress(value);
  return url === null || url.hash !== "" ? undefined : url.href;
}

/** Reads the secret of a webhook: `whsec_` and base64, as Standard Webhooks has it, or any text that is long enough. */
export function readWebhookSecret(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[\x21-\x7e]{24,256}$/.test(value)) return undefined;
  if (!value.startsWith("whsec_")) return value;
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? [];
  const bytes = encoded === undefined ? 0 : Buffer.from(encoded, "base64").length;
  return bytes >= 24 && bytes <= 64 ? value : undefined;
}

const byteUnits = { "": 1, KiB: 1 << 10, MiB: 1 << 20, GiB: 1 << 30 } as const;

/** Reads a size of memory from 1 MiB to 64 GiB, as a number of bytes or as a text such as `64MiB`. */
export function readBytes(value: unknown): number | undefined {
  const [, digits, unit] = /^(\d{1,15})(|KiB|MiB|GiB)$/.exec(String(value)) ?? [];
  // The pattern allows only these units.
  const bytes = Number(digits) * byteUnits[(unit ?? "") as keyof typeof byteUnits];
  const isSize = typeof value === "string" || typeof value === "number";
  return isSize && bytes >= 1 << 20 && bytes <= 64 * 2 ** 30 ? bytes : undefined;
}

/** Larger files are no certificates. */
const maxPemBytes = 1 << 20;

/** Reads the file at a path, if it holds PEM blocks. */
export function readPemFile(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  try {
    if (statSync(path).size > maxPemBytes) return undefined;
    const text = readFileSync(path, "utf8");
    return text.includes("-----BEGIN ") ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Reads an origin as a browser sends it, or `*`. */
export function readOrigin(value: unknown): string | undefined {
  if (value === "*") return value;
  const url = parseWebAddress(value);
  return url !== null && (value === url.origin || value === `${url.origin}/`) ? url.origin : undefined;
}

/** Reads a host in the normalized form of URLs, without brackets: `media.example`, `10.0.0.5`, `fd00::5`. */
export function readHost(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[\w.:[\]-]{1,255}$/.test(value)) return undefined;
  const bare = value.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const url = URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}/`);
  return url === null || url.port !== "" ? undefined : url.hostname.replace(/^\[|\]$/g, "");
}

/** Reads a date (`2026-01-31`), a time (`2026-01-31T12:00:00Z`) or Unix seconds, as Unix seconds. */
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
  // Date would silently convert an invalid date such as 2026-02-30 to another one.
  if (day === null || day.getUTCDate() !== Number(iso?.[2])) return Number.NaN;
  return Math.floor(Date.parse(text) / 1000);
}

/** Reads a duration of at least one second, in milliseconds. */
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

/** Describes a valid storage URL. */
export const allowedStorageUrl = "sqlite:<path of the file>, or postgres://user:password@host:port/database";

/** Whether this is a valid storage URL. */
export function isStorageUrl(url: string): boolean {
  if (/[\u0000-\u001f]/.test(url)) return false;
  if (url.startsWith("sqlite:")) return url.length > "sqlite:".length;
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url);
}

/** The default directory of the local journal: beside the SQLite file, otherwise in ./data. */
export function defaultJournalDir(storageUrl: string): string {
  return join(dataFolder(storageUrl), "journal");
}

/** The default file of the key that seals credentials, in the same folder. */
export function defaultKeyFile(storageUrl: string): string {
  return join(dataFolder(storageUrl), "secret.key");
}

/** The default URL of the blobs, in the same folder. */
export function defaultBlobsUrl(storageUrl: string): string {
  return `file:${join(dataFolder(storageUrl), "blobs")}`;
}

function dataFolder(storageUrl: string): string {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(storageUrl)?.[1] ?? ":memory:";
  return path === ":memory:" ? "data" : dirname(path);
}

export const allowedParameter = "true or false, a number of at least 0, or a list of 1 to 500 words and numbers";

/** What a model may declare of a parameter: whether it has it, a limit, or the values that it takes. */
export function readParameter(value: unknown): boolean | number | readonly (string | number)[] | undefined {
  if (typeof value === "boolean") return value;
  if (isLimit(value)) return value;
  if (!Array.isArray(value) || value.length === 0 || value.length > 500) return undefined;
  const words: (string | number)[] = [];
  for (const item of value) {
    if (!isLimit(item) && !(typeof item === "string" && /^[^\p{C}]{1,200}$/u.test(item))) return undefined;
    words.push(item);
  }
  return words;
}

function isLimit(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Describes a valid URL of blobs. */
export const allowedBlobsUrl = "file: and the path of a folder, such as file:./data/blobs";

/** Reads the URL of the blobs. */
export function readBlobsUrl(value: unknown): string | undefined {
  return typeof value === "string" && /^file:[^\u0000-\u001f]{1,4096}$/.test(value) ? value : undefined;
}
