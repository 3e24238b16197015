import { AnswerFault } from "../../../dialects/exchange.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { errorOfPageStatus, errorOfWords, type PageErrorCode } from "../../fetch/page-error.ts";
import { type FetchAnswer, fetchedPage, type FetchRefusal, type PageFetcher } from "../../fetch/page-fetcher.ts";
import { amountOrNull, textOf, textOrNull } from "../read-answer.ts";
import { classifyFirecrawlError } from "./errors.ts";

/**
 * Firecrawl's scrape, which takes one address a call. Its batches are jobs that have to be asked for until they are done,
 * so single calls at once are quicker.
 */
export const firecrawlFetcher: PageFetcher = {
  isOnePerCall: true,
  formats: ["markdown"],
  // A unit is a credit. Each page of a PDF is one.
  units: { pagesPerUnit: 1, maxPerPage: 10 },
  toRequest: ({ urls: [url], timeoutMs }) => ({
    method: "POST",
    path: "/v2/scrape",
    headers: {},
    // Other proxies cost four credits more a page.
    body: { url, formats: ["markdown"], onlyMainContent: true, proxy: "basic", timeout: timeoutMs },
  }),
  readAnswer,
  classifyError,
};

function readAnswer({ success, data, error }: JsonObject): FetchAnswer {
  if (success === false) throw new AnswerFault(textOrNull(error) ?? "The provider's answer says that it failed.");
  if (!isObject(data)) throw new AnswerFault("The provider's answer has no object 'data'.");
  const metadata = isObject(data.metadata) ? data.metadata : {};
  const status = amountOrNull(metadata.statusCode);
  const credits = amountOrNull(metadata.creditsUsed);
  return {
    pages: [
      fetchedPage(null, {
        url: textOrNull(metadata.url) ?? textOrNull(metadata.sourceURL),
        title: textOrNull(metadata.title),
        content: textOrNull(data.markdown),
        // What is scraped of a page that failed is the text of its error.
        error: status === null || status < 400 ? null : errorOfPageStatus(status),
      }),
    ],
    requestId: textOrNull(metadata.scrapeId),
    units: credits,
    costUsd: null,
    usage: credits === null ? {} : { creditsUsed: credits },
  };
}

function classifyError(status: number, body: unknown): FetchRefusal {
  const refusal = classifyFirecrawlError(status, body);
  const page = pageErrorOf(status, refusal.code ?? "", refusal.message ?? "");
  return page === null ? refusal : { page };
}

/** `SCRAPE_TIMEOUT`, `SCRAPE_DNS_RESOLUTION_ERROR` and the like are about the page; so is a site that it does not scrape. */
function pageErrorOf(status: number, code: string, message: string): PageErrorCode | null {
  if (code.startsWith("SCRAPE_DNS")) return "not_found";
  if (code.startsWith("SCRAPE_")) return errorOfWords(`${code} ${message}`.slice(0, 2_000));
  if (status === 408) return "timeout";
  return status === 403 && /support|block/i.test(textOf(message).slice(0, 2_000)) ? "forbidden" : null;
}
