import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import { errorOfWords } from "../../fetch/page-error.ts";
import { type FetchAnswer, fetchedPage, type PageFetcher } from "../../fetch/page-fetcher.ts";
import { amountOrNull, requiredListOf, textOf, textOrNull } from "../read-answer.ts";
import { classifyTavilyError } from "./errors.ts";

/** Tavily's extract: a credit for each five pages that it has read. */
export const tavilyFetcher: PageFetcher = {
  isOnePerCall: false,
  formats: ["markdown", "text"],
  units: { pagesPerUnit: 5, maxPerPage: null },
  toRequest: ({ urls, format, timeoutMs }) => ({
    method: "POST",
    path: "/extract",
    headers: {},
    body: {
      urls,
      extract_depth: "basic",
      format,
      // In seconds, from 1 to 60.
      timeout: Math.min(60, Math.max(1, Math.floor(timeoutMs / 1_000))),
      include_usage: true,
    },
  }),
  readAnswer,
  classifyError: classifyTavilyError,
};

function readAnswer(body: JsonObject): FetchAnswer {
  const usage = isObject(body.usage) ? body.usage : {};
  return {
    pages: [
      ...requiredListOf(body, "results")
        .filter(isObject)
        .map((item) =>
          fetchedPage(textOf(item.url), { title: textOrNull(item.title), content: textOrNull(item.raw_content) }),
        ),
      ...listOrEmpty(body.failed_results)
        .filter(isObject)
        .map((item) => fetchedPage(textOf(item.url), { error: errorOfWords(textOf(item.error)) })),
    ],
    requestId: textOrNull(body.request_id),
    units: amountOrNull(usage.credits),
    costUsd: null,
    usage,
  };
}
