import { Refusal } from "../../refusal.ts";
import { checkForm, checkNames, daysOf, namesOf, requiredText, wholeNumber } from "../check-parameters.ts";
import type { Page } from "../page.ts";
import { writtenDate } from "../page-dates.ts";
import { hasOperators, readSiteOperators } from "../site-operators.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters = "q gl hl location num page tbs autocorrect".split(" ");
const ranges = { "qdr:d": "day", "qdr:w": "week", "qdr:m": "month", "qdr:y": "year" } as const;

/** Serper. Its errors are `{"message", "statusCode"}`; a wrong key is 403. A key that begins with `free` is that of a free account. */
export const serper: SearchVendor = {
  name: "serper",
  route(method, path) {
    if (method !== "POST") return null;
    if (path === "/search") return (request) => readSearch(request, false);
    return path === "/news" ? (request) => readSearch(request, true) : null;
  },
  credential: (headers) => headers["x-api-key"] ?? null,
  badCredential: () => ({ status: 403, message: "Unauthorized.", code: null, param: null }),
  writeError: ({ message, status }) => ({ message, statusCode: status }),
};

function readSearch({ body, headers }: VendorRequest, isNews: boolean): VendorSearch {
  if (body === null) throw new Refusal(400, "Missing query parameter");
  checkNames(namesOf(body), parameters);
  const text = requiredText(body.q, "q", 2_048);
  const count = wholeNumber(body.num, "num", { min: 1, max: 100, otherwise: 10 });
  if (headers["x-api-key"]?.startsWith("free") && count > 10 && hasOperators(text)) {
    throw new Refusal(400, "Query pattern not allowed for free accounts");
  }
  checkForm(body.gl, "gl", /^[a-z]{2}$/);
  checkForm(body.hl, "hl", /^[a-z]{2,3}(-[a-z0-9]{2,4})?$/);
  checkForm(body.tbs, "tbs", /^(qdr:[hdwmy]|cdr:1,cd_min:\S+,cd_max:\S+)$/);
  const range = Object.entries(ranges).find(([word]) => word === body.tbs)?.[1] ?? null;
  const found = readSiteOperators(text);
  return {
    ...found,
    isNews,
    count,
    maxAgeDays: daysOf(range),
    write: (pages) => ({
      searchParameters: { ...body, type: isNews ? "news" : "search", engine: "google" },
      [isNews ? "news" : "organic"]: pages.map((page, place) => ({
        title: page.title,
        link: page.url,
        snippet: page.text,
        ...(page.isNews && { date: writtenDate(page, "short") }),
        ...(isNews && { source: sourceOf(page) }),
        position: place + 1,
      })),
      ...(!isNews && { relatedSearches: [] }),
      credits: count > 10 ? 2 : 1,
    }),
  };
}

/** The name of a paper, which is no host. */
function sourceOf({ url }: Page): string {
  return new URL(url).hostname.split(".")[0]?.toUpperCase() ?? "";
}
