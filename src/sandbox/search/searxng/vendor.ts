import { Refusal } from "../../refusal.ts";
import { checkNames, daysOf } from "../check-parameters.ts";
import { relevance } from "../corpus.ts";
import { publishedAt } from "../page-dates.ts";
import { readSiteOperators } from "../site-operators.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const names = "q format categories engines language pageno time_range safesearch".split(" ");
const ranges = ["day", "week", "month", "year"] as const;
const forms = {
  language: /^(all|auto|[a-z]{2,3}(-[a-zA-Z]{2})?)$/,
  time_range: /^(day|week|month|year)$/,
  safesearch: /^[012]$/,
  pageno: /^[1-9]\d{0,3}$/,
};

/** SearXNG. Its errors are `{"error"}`; it needs no key. Failed engines are told in an answer: see `unresponsive_engines`. */
export const searxng: SearchVendor = {
  name: "searxng",
  route: (method, path) => (method === "GET" && path === "/search" ? readSearch : null),
  credential: null,
  badCredential: () => ({ status: 403, message: "Forbidden", code: null, param: null }),
  writeError: ({ message }) => ({ error: message }),
};

function readSearch({ parameters }: VendorRequest): VendorSearch {
  checkNames(parameters.keys(), names);
  // A server whose settings do not have the format.
  if (parameters.get("format") !== "json") throw new Refusal(403, "Forbidden");
  const text = parameters.get("q")?.trim() ?? "";
  if (text === "") throw new Refusal(400, "No query");
  for (const [name, form] of Object.entries(forms)) {
    const value = parameters.get(name);
    if (value === null || form.test(value)) continue;
    throw new Refusal(400, `Invalid value "${value}" for parameter ${name}`, { param: name });
  }
  // An external bang leads to another site.
  if (/(?<!\S)!!\S/.test(text)) throw new Refusal(302, "Found");
  const found = readSiteOperators(text);
  const category = parameters.get("categories") ?? "general";
  return {
    ...found,
    isNews: category === "news",
    count: 10,
    maxAgeDays: daysOf(ranges.find((range) => range === parameters.get("time_range")) ?? null),
    write: (pages) => ({
      query: text,
      number_of_results: 0,
      results: pages.map((page, place) => ({
        url: page.url,
        title: page.title,
        content: page.text,
        publishedDate: page.isNews ? publishedAt(page).toISOString().slice(0, "2026-11-22T15:30:00".length) : null,
        engine: "sandbox",
        engines: ["sandbox", "other"],
        positions: [place + 1, place + 1],
        // It grows with the number of engines that agree.
        score: 4 * relevance(found, page),
        category,
        template: "default.html",
        parsed_url: ["https", new URL(page.url).hostname, new URL(page.url).pathname, "", "", ""],
      })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    }),
  };
}
