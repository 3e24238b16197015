import { Refusal } from "../../refusal.ts";
import {
  checkForm,
  checkNames,
  daysOf,
  domainList,
  flag,
  namesOf,
  oneOf,
  requiredText,
  wholeNumber,
} from "../check-parameters.ts";
import { publishedAt } from "../page-dates.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters = (
  "query max_results max_tokens max_tokens_per_page country search_domain_filter search_language_filter search_recency_filter " +
  "search_after_date_filter search_before_date_filter last_updated_after_filter last_updated_before_filter search_mode search_type " +
  "search_context_size display_server_time"
).split(" ");

const types: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "invalid_api_key",
  422: "invalid_request",
  429: "rate_limit_exceeded",
};

/** Perplexity's Search API. Its errors are `{"error": {"message", "type", "code"}}`. */
export const perplexity: SearchVendor = {
  name: "perplexity",
  route: (method, path) => (method === "POST" && path === "/search" ? readSearch : null),
  credential: (headers) => /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? null,
  badCredential: () => ({ status: 401, message: "Invalid API key provided.", code: null, param: null }),
  writeError: ({ status, message, code }) => ({
    error: { message, type: code ?? types[status] ?? "internal_error", code: status },
  }),
};

function readSearch({ body }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters);
  checkForm(body.country, "country", /^[A-Z]{2}$/);
  const languages = body.search_language_filter;
  if (languages !== undefined && !isLanguageList(languages)) {
    throw new Refusal(400, "search_language_filter: at most 10 codes of two letters");
  }
  const range = oneOf(
    body.search_recency_filter,
    "search_recency_filter",
    ["hour", "day", "week", "month", "year"],
    null,
  );
  const dates = parameters.filter((name) => /_(before|after)_(date_)?filter$/.test(name));
  for (const name of dates) checkForm(body[name], name, /^\d{1,2}\/\d{1,2}\/\d{4}$/);
  if (range !== null && dates.some((name) => body[name] !== undefined)) {
    throw new Refusal(400, "search_recency_filter cannot be combined with date filters");
  }
  const showsTime = flag(body.display_server_time, "display_server_time");
  return {
    ...readDomains(body.search_domain_filter),
    query: requiredText(body.query, "query", 10_000),
    isNews: false,
    count: wholeNumber(body.max_results, "max_results", { min: 1, max: 20, otherwise: 10 }),
    maxAgeDays: range === "hour" ? 0 : daysOf(range),
    write: (pages, id) => ({
      id,
      results: pages.map((page) => {
        const day = publishedAt(page).toISOString().slice(0, "2026-11-22".length);
        return {
          title: page.title,
          url: page.url,
          snippet: `# ${page.title}\n\n${page.text}`,
          date: page.isNews ? day : null,
          last_updated: day,
        };
      }),
      ...(showsTime && { server_time: new Date().toISOString() }),
    }),
  };
}

function isLanguageList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 10 && value.every((code) => /^[a-z]{2}$/.test(String(code)));
}

/** One list, of domains or of domains with a minus. */
function readDomains(value: unknown): Pick<VendorSearch, "includeDomains" | "excludeDomains"> {
  const name = "search_domain_filter";
  const list = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  const denied = list.filter((domain) => domain.startsWith("-"));
  if (denied.length === 0) return { includeDomains: domainList(value, name, 20), excludeDomains: [] };
  if (denied.length < list.length) throw new Refusal(400, `${name} cannot mix allowed and denied domains`);
  return {
    includeDomains: [],
    excludeDomains: domainList(
      denied.map((domain) => domain.slice(1)),
      name,
      20,
    ),
  };
}
