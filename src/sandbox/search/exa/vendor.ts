import { isObject, type JsonObject, objectOrEmpty } from "../../json.ts";
import { Refusal } from "../../refusal.ts";
import { checkForm, checkNames, domainList, namesOf, oneOf, requiredText, wholeNumber } from "../check-parameters.ts";
import { relevance } from "../corpus.ts";
import { publishedAt } from "../page-dates.ts";
import { readContents } from "./contents.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters = (
  "query type numResults category userLocation includeDomains excludeDomains startPublishedDate endPublishedDate includeText " +
  "excludeText moderation systemPrompt outputSchema contents"
).split(" ");
const contentParameters = "text highlights summary maxAgeHours livecrawl subpages extras".split(" ");
const types = [
  "auto",
  "neural",
  "keyword",
  "fast",
  "instant",
  "hybrid",
  "deep-lite",
  "deep",
  "deep-reasoning",
] as const;
const categories = [
  "company",
  "research paper",
  "publication",
  "news",
  "pdf",
  "github",
  "personal site",
  "people",
  "financial report",
] as const;

const tags: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST_BODY",
  401: "INVALID_API_KEY",
  402: "NO_MORE_CREDITS",
  503: "SERVICE_OVERLOADED",
};

/** Exa. Its errors are `{"error", "tag"}`; without a key it demands payment by x402. */
export const exa: SearchVendor = {
  name: "exa",
  route(method, path) {
    if (method !== "POST") return null;
    return path === "/search" ? readSearch : path === "/contents" ? readContents : null;
  },
  credential: (headers) => headers["x-api-key"] ?? /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? null,
  badCredential: (key) =>
    key === null
      ? { status: 402, message: "X-PAYMENT header is required", code: "x402", param: null }
      : { status: 401, message: "Invalid API key", code: "INVALID_API_KEY", param: null },
  writeError({ status, code, message }): JsonObject {
    if (code === "x402") return { x402Version: 1, error: message, accepts: [{ scheme: "exact", network: "base" }] };
    return { requestId: "sandbox", error: message, tag: code ?? tags[status] ?? "DEFAULT_ERROR" };
  },
};

function readSearch({ body }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters);
  const type = oneOf(body.type, "type", types, "auto");
  const category = oneOf(body.category, "category", categories, null);
  if (typeof body.numResults === "number" && body.numResults > 100) {
    throw new Refusal(400, "numResults must be at most 100", { code: "NUM_RESULTS_EXCEEDED" });
  }
  checkForm(body.userLocation, "userLocation", /^[A-Z]{2}$/);
  const since = momentOf(body.startPublishedDate, "startPublishedDate");
  const until = momentOf(body.endPublishedDate, "endPublishedDate");
  if ((since !== null || until !== null) && (category === "company" || category === "people")) {
    throw new Refusal(400, `Dates are not supported for the category ${category}`);
  }
  const { contents } = body;
  if (contents !== undefined && !isObject(contents)) throw new Refusal(400, "contents must be an object");
  const wanted = objectOrEmpty(contents);
  checkNames(namesOf(wanted), contentParameters);
  const has = (name: string) => wanted[name] !== undefined && wanted[name] !== false;
  const search = {
    query: requiredText(body.query, "query", 10_000),
    isNews: category === "news",
    count: wholeNumber(body.numResults, "numResults", { min: 1, max: 100, otherwise: 10 }),
    maxAgeDays: since === null ? null : (Date.now() - since) / 86_400_000,
    includeDomains: domainList(body.includeDomains, "includeDomains", 1_200),
    excludeDomains: domainList(body.excludeDomains, "excludeDomains", 1_200),
  };
  const isDeep = type.startsWith("deep");
  return {
    ...search,
    write(pages, id) {
      const total = (isDeep ? 12_000 : 7_000) + 1_000 * Math.max(0, pages.length - 10);
      return {
        requestId: id,
        resolvedSearchType: isDeep ? "deep" : "neural",
        results: pages.map((page) => ({
          id: page.url,
          title: page.title,
          url: page.url,
          publishedDate: publishedAt(page).toISOString(),
          author: null,
          ...(!isDeep && { score: relevance(search, page) }),
          ...(has("text") && { text: `# ${page.title}\n\n${page.text}` }),
          ...(has("highlights") && {
            highlights: page.text.split(/(?<=\.) /),
            highlightScores: page.text.split(/(?<=\.) /).map(() => 0.5),
          }),
        })),
        costDollars: { total: total / 1e6, search: { neural: total / 1e6 } },
      };
    },
  };
}

/** An ISO 8601 moment in milliseconds since 1970; null if there is none. */
function momentOf(value: unknown, name: string): number | null {
  if (value === undefined) return null;
  const at = typeof value === "string" && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw new Refusal(400, `${name} must be an ISO 8601 date`);
  return at;
}
