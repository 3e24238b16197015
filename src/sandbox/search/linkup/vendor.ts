import { Refusal, type Failure } from "../../refusal.ts";
import { daysSince } from "../check-date.ts";
import { checkNames, domainList, flag, namesOf, oneOf, requiredText, wholeNumber } from "../check-parameters.ts";
import type { SearchVendor, VendorRequest, VendorSearch } from "../vendor.ts";

const parameters =
  "q depth outputType structuredOutputSchema includeSources includeImages includeInlineCitations includeDomains " +
  "excludeDomains fromDate toDate maxResults";

/** Linkup. Its errors are `{"statusCode", "error": {"code", "message", "details"}}`; finding nothing is one of them. */
export const linkup: SearchVendor = {
  name: "linkup",
  route: (method, path) => (method === "POST" && path === "/v1/search" ? readSearch : null),
  credential: (headers) => /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? null,
  badCredential: () => ({ status: 401, message: "Unauthorized action", code: "UNAUTHORIZED", param: null }),
  writeError: ({ status, message, code, param }) => ({
    statusCode: status,
    error: {
      code: code ?? codeOf(status),
      message: param === null ? message : "Validation failed",
      details: param === null ? [] : [{ field: param, message }],
    },
  }),
};

function codeOf(status: Failure["status"]): string {
  const codes: Readonly<Record<number, string>> = {
    400: "VALIDATION_ERROR",
    401: "UNAUTHORIZED",
    402: "PAYMENT_REQUIRED",
    403: "FORBIDDEN",
    429: "TOO_MANY_REQUESTS",
  };
  return codes[status] ?? "INTERNAL_SERVER_ERROR";
}

function readSearch({ body }: VendorRequest): VendorSearch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "));
  requiredText(body.depth, "depth", 20);
  oneOf(body.depth, "depth", ["flash", "fast", "standard", "deep"], null);
  requiredText(body.outputType, "outputType", 20);
  const output = oneOf(body.outputType, "outputType", ["searchResults", "sourcedAnswer", "structured"], null);
  if (output === "structured") requiredText(body.structuredOutputSchema, "structuredOutputSchema", 100_000);
  for (const name of ["includeSources", "includeImages", "includeInlineCitations"]) flag(body[name], name);
  const from = daysSince(body.fromDate, "fromDate");
  const to = daysSince(body.toDate, "toDate");
  if (from !== null && to !== null && from < to) {
    throw new Refusal(400, "fromDate must be before toDate", { param: "fromDate" });
  }
  const includeDomains = domainList(body.includeDomains, "includeDomains", 100);
  const excludeDomains = domainList(body.excludeDomains, "excludeDomains", 1_000);
  return {
    query: requiredText(body.q, "q", 100_000),
    isNews: false,
    count: wholeNumber(body.maxResults, "maxResults", { min: 1, max: 1_000, otherwise: 10 }),
    maxAgeDays: from,
    includeDomains,
    // It looks at the excluded ones only if none are included.
    excludeDomains: includeDomains.length > 0 ? [] : excludeDomains,
    write(pages) {
      const [best] = pages;
      if (best === undefined) {
        throw new Refusal(400, "The query did not yield any result", { code: "SEARCH_QUERY_NO_RESULT" });
      }
      const sources = pages.map(({ title, url, text }) => ({ name: title, url, snippet: text, favicon: "" }));
      if (output === "sourcedAnswer") return { answer: best.text, sources };
      if (output === "structured") return {};
      return { results: sources.map(({ snippet, ...source }) => ({ type: "text", ...source, content: snippet })) };
    },
  };
}
