import { Refusal } from "../../refusal.ts";
import {
  checkNames,
  daysOf,
  domainList,
  flag,
  namesOf,
  oneOf,
  requiredText,
  wholeNumber,
} from "../check-parameters.ts";
import { relevance } from "../corpus.ts";
import { readExtract } from "./extract.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters =
  "query search_depth topic max_results time_range days start_date end_date include_answer include_raw_content include_images " +
  "include_image_descriptions include_favicon include_domains exclude_domains include_domains_mode country language " +
  "filter_by_language chunks_per_source auto_parameters include_usage exact_match max_hours fetch_timeout cache_fallback";

/** Tavily. Its errors are `{"detail": {"error"}}`. */
export const tavily: SearchVendor = {
  name: "tavily",
  route(method, path) {
    if (method !== "POST") return null;
    return path === "/search" ? readSearch : path === "/extract" ? readExtract : null;
  },
  credential: (headers) => /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? null,
  badCredential: () => ({
    status: 401,
    message: "Unauthorized: missing or invalid API key.",
    code: null,
    param: null,
  }),
  writeError: ({ message }) => ({ detail: { error: message } }),
};

function readSearch({ body }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "));
  const topic = oneOf(body.topic, "topic", ["general", "news", "finance"], "general");
  const depth = oneOf(body.search_depth, "search_depth", ["basic", "advanced", "fast", "ultra-fast"], "basic");
  const range = oneOf(body.time_range, "time_range", ["day", "week", "month", "year"], null);
  if (range !== null && [body.start_date, body.end_date].some((date) => date !== undefined && date !== null)) {
    throw new Refusal(400, "When time_range is set, start_date or end_date cannot be set");
  }
  if (body.country !== undefined && topic !== "general") {
    throw new Refusal(400, "Country is only available when the topic is general.");
  }
  if (body.country !== undefined && !/^[a-z]+( [a-z]+)*$/.test(requiredText(body.country, "country", 60))) {
    throw new Refusal(400, "Invalid country. Must be a country name in lower case.");
  }
  const search = {
    query: requiredText(body.query, "query", 400),
    isNews: topic === "news",
    count: wholeNumber(body.max_results, "max_results", { min: 0, max: 20, otherwise: 5 }),
    maxAgeDays: daysOf(range),
    includeDomains: domainList(body.include_domains, "include_domains", 300),
    excludeDomains: domainList(body.exclude_domains, "exclude_domains", 150),
  };
  const answers = flag(body.include_answer, "include_answer");
  const hasRaw = flag(body.include_raw_content, "include_raw_content");
  const showsUsage = flag(body.include_usage, "include_usage");
  return {
    ...search,
    write: (pages, id) => ({
      query: search.query,
      follow_up_questions: null,
      answer: answers ? (pages[0]?.text ?? null) : null,
      images: [],
      results: pages.map((page, place) => ({
        url: page.url,
        title: page.title,
        content: page.text,
        score: relevance(search, page),
        ...(search.isNews && { published_date: new Date(Date.now() - page.ageDays * 86_400_000).toUTCString() }),
        raw_content: hasRaw ? `# ${page.title}\n\n${page.text}` : null,
        id: `${id}-${place}`,
      })),
      response_time: 0.01,
      ...(showsUsage && { usage: { credits: depth === "advanced" ? 2 : 1 } }),
      request_id: id,
    }),
  };
}
