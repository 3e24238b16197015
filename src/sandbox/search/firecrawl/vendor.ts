import { isObject } from "../../json.ts";
import { Refusal } from "../../refusal.ts";
import { daysOfGoogleFilter } from "../check-date.ts";
import { publishedAt } from "../page-dates.ts";
import { checkNames, domainList, namesOf, requiredText, wholeNumber } from "../check-parameters.ts";
import type { Page } from "../page.ts";
import { readScrape } from "./scrape.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters =
  "query limit sources categories includeDomains excludeDomains tbs location country timeout ignoreInvalidURLs highlights " +
  "scrapeOptions enterprise";

/** Firecrawl. Its errors are `{"success": false, "error", "code", "details"}`. Without a key it answers too. */
export const firecrawl: SearchVendor = {
  name: "firecrawl",
  route(method, path) {
    if (method !== "POST") return null;
    return path === "/v2/search" ? readSearch : path === "/v2/scrape" ? readScrape : null;
  },
  credential: (headers) => /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? "",
  badCredential: () => ({ status: 401, message: "Unauthorized: Invalid token", code: null, param: null }),
  writeError: ({ message, code, param }) => ({
    success: false,
    ...(code !== null && { code }),
    ...(param === null
      ? { error: message }
      : { code: "BAD_REQUEST", error: "Bad Request", details: [{ path: [param], message }] }),
  }),
};

function readSearch({ body }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "));
  const [source = "web", ...others] = sourcesOf(body.sources);
  const includeDomains = domainList(body.includeDomains, "includeDomains", 100);
  const excludeDomains = domainList(body.excludeDomains, "excludeDomains", 100);
  if (includeDomains.length > 0 && excludeDomains.length > 0) {
    throw new Refusal(400, "includeDomains and excludeDomains cannot both be specified", { param: "includeDomains" });
  }
  if (body.country !== undefined && !/^[A-Za-z]{2}$/.test(requiredText(body.country, "country", 2))) {
    throw new Refusal(400, "country must be an ISO code of two letters", { param: "country" });
  }
  const maxAgeDays = daysOfGoogleFilter(body.tbs);
  const isScraped = readScrapeOptions(body.scrapeOptions);
  return {
    query: requiredText(body.query, "query", 500),
    isNews: source === "news",
    count: wholeNumber(body.limit, "limit", { min: 1, max: 100, otherwise: 10 }),
    // News are not filtered by time.
    maxAgeDays: source === "news" ? null : maxAgeDays,
    includeDomains,
    excludeDomains,
    write(pages, id) {
      const items = pages.map((page, place) => ({
        ...(source === "news" ? newsOf(page) : { url: page.url, title: page.title, description: page.text }),
        position: place + 1,
        ...(isScraped && documentOf(page)),
      }));
      return {
        success: true,
        data: { [source]: items, ...Object.fromEntries(others.map((other) => [other, []])) },
        id,
        creditsUsed: 2 * Math.ceil(pages.length / 10) + (isScraped ? pages.length : 0),
      };
    },
  };
}

function newsOf({ url, title, text, ageDays }: Page) {
  const date = ageDays === 0 ? "3 hours ago" : `${ageDays} days ago`;
  return { url, title, snippet: text, date, imageUrl: `${new URL(url).origin}/image.png` };
}

function documentOf({ url, title, text, ageDays }: Page) {
  const publishedTime = publishedAt({ ageDays }).toISOString();
  return {
    markdown: `# ${title}\n\n${text}`,
    metadata: { title, url, sourceURL: url, publishedTime, statusCode: 200 },
  };
}

function sourcesOf(value: unknown): string[] {
  if (value === undefined) return ["web"];
  const known = ["web", "news", "images"];
  const names = Array.isArray(value) ? value.map((each: unknown) => (isObject(each) ? each.type : each)) : [];
  const sources = known.filter((name) => names.includes(name));
  if (names.length > 0 && names.every((name) => known.some((each) => each === name))) return sources;
  throw new Refusal(400, "sources must be a list of web, news or images", { param: "sources" });
}

function readScrapeOptions(value: unknown): boolean {
  if (value === undefined) return false;
  const formats = isObject(value) && Array.isArray(value.formats) ? value.formats : null;
  if (formats === null) throw new Refusal(400, "scrapeOptions must have a list of formats", { param: "scrapeOptions" });
  return formats.includes("markdown");
}
