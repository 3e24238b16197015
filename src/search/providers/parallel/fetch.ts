import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import { errorOfPageStatus, errorOfWords } from "../../fetch/page-error.ts";
import { type FetchAnswer, fetchedPage, type PageFetcher } from "../../fetch/page-fetcher.ts";
import { amountOrNull, requiredListOf, textOf, textOrNull } from "../read-answer.ts";
import { classifyParallelError, readUsage, textsOf } from "./answers.ts";

/** Pages that cost as much as a search. */
const pagesPerUnit = 5;

/** Parallel's extract. */
export const parallelFetcher: PageFetcher = {
  isOnePerCall: false,
  formats: ["markdown"],
  units: { pagesPerUnit, maxPerPage: null },
  toRequest: ({ urls }) => ({
    method: "POST",
    path: "/v1/extract",
    headers: {},
    body: { urls, advanced_settings: { full_content: true } },
  }),
  readAnswer,
  classifyError: classifyParallelError,
};

function readAnswer(body: JsonObject): FetchAnswer {
  const usage = readUsage(body.usage);
  const pages = usage.values().reduce((sum, count) => sum + count, 0);
  return {
    pages: [
      ...requiredListOf(body, "results")
        .filter(isObject)
        .map((item) =>
          fetchedPage(textOf(item.url), {
            title: textOrNull(item.title),
            content: textOrNull(item.full_content) ?? textOrNull(textsOf(item.excerpts).join("\n\n")),
          }),
        ),
      ...listOrEmpty(body.errors)
        .filter(isObject)
        .map((item) => {
          const status = amountOrNull(item.http_status_code);
          const error = status === null ? errorOfWords(textOf(item.error_type)) : errorOfPageStatus(status);
          return fetchedPage(textOf(item.url), { error });
        }),
    ],
    requestId: textOrNull(body.extract_id),
    units: usage.size === 0 || !Number.isFinite(pages) ? null : pages / pagesPerUnit,
    costUsd: null,
    usage: Object.fromEntries(usage),
  };
}
