import { Refusal } from "../../refusal.ts";
import { daysSince } from "../check-date.ts";
import { publishedAt } from "../page-dates.ts";
import { checkNames, daysOf, domainList, namesOf, oneOf, requiredText, wholeNumber } from "../check-parameters.ts";
import { findPages } from "../corpus.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters =
  "query count offset freshness country language safesearch livecrawl livecrawl_formats extraction crawl_timeout " +
  "include_domains exclude_domains boost_domains knowledge";
const countries =
  "AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US";
const languages =
  "AR EU BN BG CA ZH-HANS ZH-HANT HR CS DA NL EN EN-GB ET FI FR GL DE EL GU HE HI HU IS IT JA KN KO LV LT MS ML MR NB PL PT-BR " +
  "PT-PT PA RO RU SR SK SL ES SV TA TE TH TR UK VI";

/** You.com. Its errors are `{"detail"}`; a bad parameter is 422, with a list of details. */
export const youcom: SearchVendor = {
  name: "youcom",
  route: (method, path) => (method === "POST" && path === "/v1/search" ? readSearch : null),
  credential: (headers) => headers["x-api-key"] ?? null,
  badCredential: () => ({ status: 401, message: "Invalid or expired API key", code: null, param: null }),
  writeError: ({ message, param }) => ({
    detail: param === null ? message : [{ type: "value_error", loc: ["body", param], msg: message }],
  }),
};

function readSearch({ body }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(422, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "), 422);
  const includeDomains = domainList(body.include_domains, "include_domains", 500, 422);
  const excludeDomains = domainList(body.exclude_domains, "exclude_domains", 500, 422);
  const boostDomains = domainList(body.boost_domains, "boost_domains", 500, 422);
  if (includeDomains.length > 0 && (excludeDomains.length > 0 || boostDomains.length > 0)) {
    throw new Refusal(422, "include_domains cannot be combined with other lists of domains", {
      param: "include_domains",
    });
  }
  oneOf(body.country, "country", countries.split(" "), null, 422);
  oneOf(body.language, "language", languages.split(" "), "EN", 422);
  oneOf(body.safesearch, "safesearch", ["off", "moderate", "strict"], "moderate", 422);
  wholeNumber(body.offset, "offset", { min: 0, max: 9, otherwise: 0 }, 422);
  const crawled = oneOf(body.livecrawl, "livecrawl", ["web", "news", "all"], null, 422);
  const formats = formatsOf(body.livecrawl_formats);
  const search = {
    query: requiredText(body.query, "query", 10_000, 422),
    count: wholeNumber(body.count, "count", { min: 1, max: 100, otherwise: 10 }, 422),
    maxAgeDays: freshnessOf(body.freshness),
    includeDomains,
    excludeDomains,
  };
  const sectionOf = (section: "web" | "news", withSnippets: boolean) =>
    findPages({ ...search, isNews: section === "news" }).map(({ url, title, text, ageDays }) => ({
      url,
      title,
      description: text,
      ...(withSnippets && { snippets: [text, title] }),
      page_age: publishedAt({ ageDays }).toISOString().slice(0, 19),
      ...((crawled === section || crawled === "all") && {
        contents: Object.fromEntries(formats.map((format) => [format, `# ${title}\n\n${text}`])),
      }),
    }));
  return {
    ...search,
    isNews: false,
    write(_, id) {
      const news = sectionOf("news", false);
      // The section of news is there only if the query is about news.
      return {
        results: { web: sectionOf("web", true), ...(news.length > 0 && { news }) },
        metadata: { search_uuid: id, query: search.query, latency: 0.01 },
      };
    },
  };
}

function freshnessOf(value: unknown): number | null {
  const [, from, to] = typeof value === "string" ? (/^(.{10})to(.{10})$/.exec(value) ?? []) : [];
  if (from === undefined) return daysOf(oneOf(value, "freshness", ["day", "week", "month", "year"], null, 422));
  daysSince(to, "freshness", 422);
  return daysSince(from, "freshness", 422);
}

function formatsOf(value: unknown): readonly string[] {
  if (value === undefined) return ["html"];
  const formats = Array.isArray(value) ? value.map((each: unknown) => (typeof each === "string" ? each : "")) : [""];
  if (formats.every((format) => format === "html" || format === "markdown")) return formats;
  throw new Refusal(422, "Input should be a list of 'html' or 'markdown'", { param: "livecrawl_formats" });
}
