import { Refusal } from "../../refusal.ts";
import { checkForm, checkNames, domainList, namesOf, oneOf, requiredText, wholeNumber } from "../check-parameters.ts";
import type { Page } from "../page.ts";
import { writtenDate } from "../page-dates.ts";
import { readSiteOperators } from "../site-operators.ts";
import { readPage } from "./reader.ts";
import type { ReadRequest, SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters =
  "q type count num gl hl location page provider engine fallback nfpr site ext filetype intitle loc".split(" ");

const errors: Readonly<Record<number, readonly [name: string, status: number]>> = {
  400: ["ParamValidationError", 40_001],
  401: ["AuthenticationRequiredError", 40_103],
  402: ["InsufficientBalanceError", 40_203],
  408: ["TimeoutError", 40_801],
  409: ["BudgetExceededError", 40_904],
  422: ["AssertionFailureError", 42_206],
  429: ["RateLimitTriggeredError", 42_903],
  451: ["SecurityCompromiseError", 45_102],
};

/** Jina's search. Its errors are `{"data": null, "code", "name", "status", "message"}`; that nothing was found is one. */
export const jina: SearchVendor = {
  name: "jina",
  route: (method, path) => (method === "POST" && path === "/" ? readRequest : null),
  credential: (headers) => /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? null,
  badCredential: () => ({
    status: 401,
    message:
      "Authentication is required to use this endpoint. Please provide a valid API key via Authorization header.",
    code: null,
    param: null,
  }),
  writeError({ status, message }) {
    const [name, detailed] = errors[status] ?? ["InternalServerError", 50_000];
    return { data: null, code: status, name, status: detailed, message, readableMessage: `${name}: ${message}` };
  },
};

/** The hosts of searches and pages are one here: a request for a page has an address, and one for a search has a query. */
const readRequest: ReadRequest = (request) =>
  request.body !== null && "url" in request.body ? readPage(request) : readSearch(request);

function readSearch({ body, headers }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  if (headers["accept"] !== "application/json") throw new Refusal(400, "The sandbox answers in JSON alone.");
  checkNames(namesOf(body), parameters);
  const mode = oneOf(headers["x-respond-with"], "X-Respond-With", ["no-content", "markdown"], "markdown");
  const type = oneOf(body.type, "type", ["web", "images", "news"], "web");
  checkForm(body.gl, "gl", /^[a-z]{2}$/i);
  checkForm(body.hl, "hl", /^[a-z]{2,3}(-[a-z0-9]{2,4})?$/i);
  const found = readSiteOperators(requiredText(body.q, "q", 2_048));
  const hasContent = mode === "markdown";
  return {
    ...found,
    isNews: type === "news",
    count: wholeNumber(body.num ?? body.count, "num", { min: 0, max: 20, otherwise: 10 }),
    maxAgeDays: null,
    includeDomains: [...found.includeDomains, ...domainList(body.site, "site", 50)],
    write(pages) {
      if (pages.length === 0) throw new Refusal(422, `No search results available for query ${found.query}`);
      const tokens = pages.reduce((sum, page) => sum + (hasContent ? tokensOf(page) : 0), 0);
      const charged = Math.max(tokens, Math.ceil(pages.length / 10) * 10_000) * (type === "web" ? 1 : 5);
      return {
        code: 200,
        status: 20_000,
        data: pages.map((page) => ({
          title: page.title,
          url: page.url,
          description: page.text,
          ...(page.isNews && { date: writtenDate(page, "short") }),
          ...(hasContent && { content: `# ${page.title}\n\n${page.text}` }),
          usage: { tokens: hasContent ? tokensOf(page) : 1_000 },
        })),
        meta: { usage: { tokens: charged } },
      };
    },
  };
}

function tokensOf({ text }: Page): number {
  return Math.ceil(text.length / 4);
}
