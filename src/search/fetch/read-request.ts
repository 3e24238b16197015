import { optionalWord, requiredList } from "../../dialects/fields/read-field.ts";
import { noteUnknown, type Unknown } from "../../dialects/fields/unknown-fields.ts";
import { invalidParameter } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import type { DomainSet } from "../domains/domain-rules.ts";
import { fetchFormats } from "./page-fetcher.ts";
import { checkUrl } from "./public-url.ts";
import type { AskedUrl, FetchRequest } from "./request.ts";

export const maxUrls = 20;
/** Characters of one. */
export const maxUrlLength = 8_192;

/**
 * Reads the body of a fetch. Null counts as absent. An address that may not be fetched is no error of the request: its own
 * result says so.
 * @param domains the domains that the caller's key may fetch from; null: all
 * @param unknown gathers the paths of fields that are read by nobody
 * @throws a 400 that names the field
 */
export function readFetchRequest(body: JsonObject, domains: DomainSet | null, unknown: Unknown): FetchRequest {
  noteUnknown(body, "urls format backend", "", unknown);
  const list = requiredList(body.urls, "urls");
  if (list.length === 0 || list.length > maxUrls) throw invalidParameter("urls", `1 to ${maxUrls} addresses`);
  const asked = list.map((entry, index) => readUrl(entry, `urls[${index}]`, domains));
  const urls = new Set(asked.flatMap(({ checked }) => checked.url ?? []));
  const format = optionalWord(body.format, "format", fetchFormats) ?? "markdown";
  return { asked, urls: [...urls], format, domains };
}

function readUrl(value: unknown, path: string, domains: DomainSet | null): AskedUrl {
  if (typeof value !== "string" || value.trim() === "" || value.length > maxUrlLength) {
    throw invalidParameter(path, `an address of 1 to ${maxUrlLength} characters`);
  }
  return { text: value, checked: checkUrl(value, domains) };
}
