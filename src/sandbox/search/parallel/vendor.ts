import { isObject, type JsonObject } from "../../json.ts";
import { Refusal } from "../../refusal.ts";
import { daysSince } from "../check-date.ts";
import { publishedAt } from "../page-dates.ts";
import { checkNames, domainList, namesOf, oneOf, requiredText, wholeNumber } from "../check-parameters.ts";
import { readExtract } from "./extract.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters = "search_queries objective mode max_chars_total session_id client_model advanced_settings";
const settingNames = "max_results location source_policy fetch_policy excerpt_settings";
/** Some of the countries that it knows; `uk` is none. */
const locations = "at au br ca ch cn de es fr gb ie in it jp kr mx nl no pl pt se us za";

/** Parallel. Its errors are `{"type": "error", "error": {"ref_id", "message", "detail"}}`; a bad parameter is 422. */
export const parallel: SearchVendor = {
  name: "parallel",
  route(method, path) {
    if (method !== "POST") return null;
    return path === "/v1/search" ? readSearch : path === "/v1/extract" ? readExtract : null;
  },
  credential: (headers) => headers["x-api-key"] ?? null,
  badCredential: () => ({
    status: 401,
    message: "Unauthorized: invalid or missing credentials",
    code: null,
    param: null,
  }),
  writeError: ({ message, param }) => ({
    type: "error",
    error: { ref_id: "sandbox", message, detail: param === null ? null : { field: param } },
  }),
};

function readSearch({ body }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(422, "The body is missing.");
  // What the beta took at the top level is refused too.
  checkNames(namesOf(body), parameters.split(" "), 422);
  const queries = searchQueries(body.search_queries);
  if (body.objective !== undefined) requiredText(body.objective, "objective", 5_000, 422);
  oneOf(body.mode, "mode", ["turbo", "fast", "basic", "advanced"], "advanced", 422);
  const settings = objectOf(body.advanced_settings, "advanced_settings", settingNames);
  const policy = objectOf(settings.source_policy, "source_policy", "include_domains exclude_domains after_date");
  const includeDomains = domainList(policy.include_domains, "include_domains", 200, 422);
  const excludeDomains = domainList(policy.exclude_domains, "exclude_domains", 200 - includeDomains.length, 422);
  const count = wholeNumber(settings.max_results, "max_results", { min: 1, max: 20, otherwise: 10 }, 422);
  return {
    query: queries.join(" "),
    isNews: false,
    count,
    maxAgeDays: daysSince(policy.after_date, "after_date", 422),
    includeDomains,
    // Ignored if others are included.
    excludeDomains: includeDomains.length > 0 ? [] : excludeDomains,
    write: (pages, id) => ({
      search_id: `search_${id}`,
      session_id: body.session_id ?? `session_${id}`,
      results: pages.map(({ url, title, text, ageDays }) => ({
        url,
        title,
        publish_date: publishedAt({ ageDays }).toISOString().slice(0, 10),
        excerpts: text.split(/(?<=\.) /),
      })),
      warnings: warningsOf(settings.location),
      usage: [
        { name: "sku_search", count: 1 },
        ...(pages.length > 10 ? [{ name: "sku_search_additional_results", count: pages.length - 10 }] : []),
      ],
    }),
  };
}

function searchQueries(value: unknown): string[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > 5) {
    throw new Refusal(422, "search_queries must be a list of 1 to 5 queries", { param: "search_queries" });
  }
  return value.map((each: unknown) => requiredText(each, "search_queries", 200, 422));
}

function objectOf(value: unknown, name: string, known: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new Refusal(422, `${name} must be an object`, { param: name });
  checkNames(namesOf(value), known.split(" "), 422);
  return value;
}

function warningsOf(location: unknown): object[] | null {
  if (location === undefined || location === null) return null;
  const code = requiredText(location, "location", 10, 422).toLowerCase();
  if (locations.split(" ").includes(code)) return null;
  return [{ type: "input_validation_warning", message: `The location '${code}' is not supported and was ignored.` }];
}
