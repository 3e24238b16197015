import type { JsonObject } from "../../json.ts";
import { Refusal, type Failure } from "../../refusal.ts";
import { checkForm, checkNames, daysOf, oneOf, requiredText, wholeNumber } from "../check-parameters.ts";
import type { Page } from "../page.ts";
import { publishedAt, writtenDate } from "../page-dates.ts";
import { readSiteOperators } from "../site-operators.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const common =
  "q country search_lang ui_lang count offset safesearch freshness spellcheck goggles extra_snippets operators";
const names = {
  web: `${common} text_decorations result_filter units summary`.split(" "),
  news: common.split(" "),
};
const country =
  /^(A[RTU]|B[ER]|C[AHLN]|D[EK]|ES|F[IR]|GB|HK|I[DNT]|JP|KR|M[XY]|N[LOZ]|P[HLT]|RU|S[AE]|T[RW]|US|ZA|ALL)$/;
const language =
  /^(ar|b[gn]|ca|cs|d[ae]|en(-gb)?|e[stu]|f[ir]|g[lu]|h[eiru]|i[st]|jp|k[no]|l[tv]|m[lrs]|n[bl]|p[al]|pt-(br|pt)|r[ou]|s[klrv]|t[aehr]|uk|vi|zh-han[st])$/;
const ranges = { pd: "day", pw: "week", pm: "month", py: "year" } as const;
const keyHeader = "x-subscription-token";
const codes: Readonly<Record<number, string>> = {
  404: "SUBSCRIPTION_NOT_FOUND",
  422: "VALIDATION",
  429: "RATE_LIMITED",
};

/** Brave Search. Its errors are `{"type": "ErrorResponse", "error": {"code", "detail"}}`: wrong keys and parameters are all 422. */
export const brave: SearchVendor = {
  name: "brave",
  route(method, path) {
    if (method !== "GET") return null;
    if (path === "/web/search") return (request) => readSearch(request, "web");
    return path === "/news/search" ? (request) => readSearch(request, "news") : null;
  },
  credential: (headers) => headers[keyHeader] ?? null,
  badCredential: (key) =>
    key === null
      ? { status: 422, message: "Unable to validate request parameter(s)", code: "VALIDATION", param: keyHeader }
      : {
          status: 422,
          message: "The provided subscription token is invalid.",
          code: "SUBSCRIPTION_TOKEN_INVALID",
          param: null,
        },
  writeError: (failure) => ({ type: "ErrorResponse", error: errorOf(failure), time: 1_795_000_000 }),
};

function errorOf({ status, code, message, param }: Failure): JsonObject {
  const loc = [param === keyHeader ? "header" : "query", param];
  return {
    id: "00000000-0000-4000-8000-000000000000",
    status,
    code: code ?? codes[status] ?? "INTERNAL",
    detail: message,
    meta: param === null ? {} : { errors: [{ type: "value_error", loc, msg: message }] },
  };
}

function readSearch({ parameters }: VendorRequest, kind: "web" | "news"): VendorSearch {
  checkNames(parameters.keys(), names[kind], 422);
  const given = (name: string) => parameters.get(name) ?? undefined;
  const text = requiredText(given("q"), "q", 400, 422);
  if (text.trim().split(/\s+/).length > 50) throw new Refusal(422, "q has more than 50 words", { param: "q" });
  checkForm(given("country"), "country", country, 422);
  checkForm(given("search_lang"), "search_lang", language, 422);
  checkForm(given("ui_lang"), "ui_lang", /^[a-z]{2}-[A-Z]{2}$/, 422);
  checkForm(given("freshness"), "freshness", /^(p[dwmy]|\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d)$/, 422);
  checkForm(given("text_decorations"), "text_decorations", /^(true|false)$/, 422);
  oneOf(given("safesearch"), "safesearch", ["off", "moderate", "strict"], "moderate", 422);
  wholeNumber(given("offset"), "offset", { min: 0, max: 9, otherwise: 0 }, 422);
  const range = Object.entries(ranges).find(([word]) => word === given("freshness"))?.[1] ?? null;
  const shows = (given("result_filter") ?? "web").split(",").includes("web");
  const isMarked = given("text_decorations") !== "false";
  return {
    ...readSiteOperators(text),
    isNews: kind === "news",
    count: wholeNumber(given("count"), "count", { min: 1, max: kind === "news" ? 50 : 20, otherwise: 20 }, 422),
    maxAgeDays: daysOf(range),
    write(pages) {
      const results = pages.map((page) => resultOf(page, isMarked));
      const query = { original: text, more_results_available: false };
      if (kind === "news") return { type: "news", query, results };
      // There is no list without results.
      const web = results.length > 0 && shows ? { web: { type: "search", results, family_friendly: true } } : {};
      return { type: "search", query, mixed: { type: "mixed", main: [] }, ...web };
    },
  };
}

function resultOf(page: Page, isMarked: boolean): JsonObject {
  const [first = "", ...others] = page.text.replaceAll("&", "&amp;").replaceAll("'", "&#x27;").split(" ");
  const { hostname, pathname } = new URL(page.url);
  return {
    title: page.title,
    url: page.url,
    description: [isMarked ? `<strong>${first}</strong>` : first, ...others].join(" "),
    age: writtenDate(page, "long"),
    ...(page.isNews && { page_age: publishedAt(page).toISOString().slice(0, "2026-11-22T15:30:00".length) }),
    meta_url: { scheme: "https", netloc: hostname, hostname, path: pathname },
  };
}
