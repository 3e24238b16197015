import { Refusal } from "../../refusal.ts";
import { daysOfGoogleFilter } from "../check-date.ts";
import { checkNames, oneOf, requiredText, wholeNumber } from "../check-parameters.ts";
import type { Page } from "../page.ts";
import { readSiteOperators } from "../site-operators.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters =
  "engine q api_key gl hl lr cr location uule google_domain tbs tbm start num safe nfpr filter device no_cache output";

/** SerpApi. The key is a parameter; errors are `{"error"}`, as is the answer to a search that finds nothing. */
export const serpapi: SearchVendor = {
  name: "serpapi",
  route: (method, path) => (method === "GET" && path === "/search.json" ? readSearch : null),
  credential: (_, query) => query.get("api_key"),
  badCredential: () => ({
    status: 401,
    message: "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key",
    code: null,
    param: null,
  }),
  writeError: ({ message }) => ({ error: message }),
};

function readSearch({ parameters: given }: VendorRequest): VendorSearch {
  checkNames(given.keys(), parameters.split(" "));
  if (given.get("engine") !== "google") throw new Refusal(400, "Unsupported `engine` parameter.");
  const text = given.get("q");
  if (text === null || text.trim() === "") throw new Refusal(400, "Missing query `q` parameter.");
  requiredText(text, "q", 2_048);
  checkCode(given.get("gl"), /^[a-z]{2}$/, "location - gl");
  checkCode(given.get("hl"), /^[a-z]{2,3}(-[a-z0-9]{2,3})?$/, "interface language - hl");
  const isNews = oneOf(given.get("tbm"), "tbm", ["nws", "isch", "vid", "shop", "lcl"], null) === "nws";
  wholeNumber(given.get("start"), "start", { min: 0, max: 1_000, otherwise: 0 });
  return {
    ...readSiteOperators(text),
    isNews,
    count: 10,
    maxAgeDays: daysOfGoogleFilter(given.get("tbs")),
    write: (pages, id) => ({
      search_metadata: { id, status: "Success", total_time_taken: 0.01 },
      search_parameters: { engine: "google", q: text, google_domain: "google.com", device: "desktop" },
      search_information: { organic_results_state: pages.length === 0 ? "Fully empty" : "Results for exact spelling" },
      ...(pages.length === 0
        ? { error: "Google hasn't returned any results for this query." }
        : { [isNews ? "news_results" : "organic_results"]: pages.map(itemOf) }),
    }),
  };
}

function itemOf({ title, url, text, isNews, ageDays }: Page, place: number) {
  const source = new URL(url).hostname.split(".")[0];
  const date = ageDays === 0 ? "2 hours ago" : `${ageDays} days ago`;
  return { position: place + 1, title, link: url, displayed_link: url, source, snippet: text, ...(isNews && { date }) };
}

function checkCode(value: string | null, form: RegExp, name: string): void {
  if (value !== null && !form.test(value)) throw new Refusal(400, `Unsupported \`${value}\` ${name} parameter.`);
}
