import {
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalString,
  optionalWord,
  requiredString,
} from "../dialects/fields/read-field.ts";
import { noteUnknown, type Unknown } from "../dialects/fields/unknown-fields.ts";
import { invalidParameter, permissionError } from "../errors.ts";
import type { JsonObject } from "../json/values.ts";
import { covers, type DomainRules, type DomainSet, intersectDomains, widest } from "./domains/domain-rules.ts";
import { readDomain } from "./domains/host.ts";
import { readProviderOptions } from "./provider-options.ts";
import { searchDepths, searchTypes, timeRanges } from "./query.ts";
import type { SearchRequest } from "./request.ts";

/** Characters of a query. Providers take less: what is beyond their bound is cut, and reported. */
export const maxQueryLength = 4_000;
const maxDomains = 1_000;
const defaultMaxResults = 10;
const maxWordLength = 100;

const fields =
  "query type backend region language time_range max_results search_depth include_answer include_raw_content include_domains " +
  "exclude_domains include_provider_payload provider_options";

/**
 * Reads the body of a search. Null counts as absent.
 * @param keyDomains the domains that the caller's key may search; null: all
 * @param unknown gathers the paths of fields that are read by nobody
 * @throws a 400 that names the field; a 403 if the key allows none of the domains that are asked for
 */
export function readSearchRequest(
  body: JsonObject,
  keyDomains: DomainSet | null,
  now: number,
  unknown: Unknown,
): SearchRequest {
  noteUnknown(body, fields, "", unknown);
  return {
    query: readQuery(body.query),
    type: optionalWord(body.type, "type", searchTypes) ?? "web",
    region: readWord(body.region, "region"),
    language: readWord(body.language, "language"),
    timeRange: optionalWord(body.time_range, "time_range", timeRanges) ?? null,
    maxResults: readMaxResults(body.max_results),
    depth: optionalWord(body.search_depth, "search_depth", searchDepths) ?? "basic",
    includeAnswer: optionalBoolean(body.include_answer, "include_answer") ?? false,
    includeRawContent: optionalBoolean(body.include_raw_content, "include_raw_content") ?? false,
    includeProviderPayload: optionalBoolean(body.include_provider_payload, "include_provider_payload") ?? false,
    rules: readRules(body, keyDomains),
    providerOptions: readProviderOptions(body.provider_options, unknown),
    now,
  };
}

/** The name of the backend that is asked for. */
export function readBackendName(value: unknown): string {
  const name = optionalString(value, "backend") ?? "auto";
  if (name.trim() === "" || name.length > 200 || /\p{Cc}/u.test(name)) {
    throw invalidParameter("backend", "auto, or the name of a search backend or provider");
  }
  return name;
}

function readQuery(value: unknown): string {
  const query = requiredString(value, "query");
  const isBlank = !/[^\s\p{Cc}\p{Cf}]/u.test(query);
  if (isBlank || query.length > maxQueryLength) {
    throw invalidParameter("query", `a text of 1 to ${maxQueryLength} characters that is not blank`);
  }
  return query;
}

/** A hint; an empty one counts as absent. */
function readWord(value: unknown, path: string): string | null {
  const word = optionalString(value, path)?.trim() ?? "";
  if (word.length > maxWordLength) throw invalidParameter(path, `at most ${maxWordLength} characters`);
  return word === "" ? null : word;
}

function readMaxResults(value: unknown): number {
  const count = optionalInteger(value, "max_results") ?? defaultMaxResults;
  if (count < 1) throw invalidParameter("max_results", "a whole number of at least 1");
  return count;
}

/** The caller's lists within those of its key: a request can narrow, and never widen. */
function readRules(body: JsonObject, keyDomains: DomainSet | null): DomainRules {
  const asked = readDomains(body.include_domains, "include_domains");
  const exclude = readDomains(body.exclude_domains, "exclude_domains") ?? new Set();
  const include = intersectDomains(asked, keyDomains);
  if (include === null) return { include, exclude };
  if (include.size === 0) {
    throw permissionError(
      "domain_not_allowed",
      "This API key may not search any of the domains in 'include_domains'.",
      "include_domains",
    );
  }
  const left = new Set([...include].filter((domain) => !covers(exclude, domain)));
  if (left.size > 0) return { include: left, exclude };
  throw invalidParameter("exclude_domains", "domains that do not cover all those that may be searched");
}

/** Null if there is no list, or an empty one: then it restricts nothing. */
function readDomains(value: unknown, path: string): DomainSet | null {
  const list = optionalList(value, path) ?? [];
  if (list.length > maxDomains) throw invalidParameter(path, `at most ${maxDomains} domains`);
  const domains = list.map((entry, index) => {
    const domain = typeof entry === "string" ? readDomain(entry) : null;
    if (domain !== null) return domain;
    const expected = "a domain such as example.com, without scheme, path, port and wildcard";
    throw invalidParameter(`${path}[${index}]`, expected);
  });
  return domains.length === 0 ? null : widest(domains);
}
