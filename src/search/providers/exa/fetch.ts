import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import { errorOfPageStatus, type PageErrorCode } from "../../fetch/page-error.ts";
import { type FetchAnswer, fetchedPage, type PageFetcher } from "../../fetch/page-fetcher.ts";
import { amountOrNull, requiredListOf, textOf, textOrNull } from "../read-answer.ts";
import { classifyExaError } from "./errors.ts";

/** Exa's contents. A page costs a seventh of what a search does. */
export const exaFetcher: PageFetcher = {
  isOnePerCall: false,
  formats: ["markdown"],
  units: { pagesPerUnit: 7, maxPerPage: null },
  toRequest: ({ urls }) => ({ method: "POST", path: "/contents", headers: {}, body: { urls, text: true } }),
  readAnswer,
  classifyError: classifyExaError,
};

/** Pages that failed are in `statuses` alone. The id of a page is the address that was asked for. */
function readAnswer(body: JsonObject): FetchAnswer {
  const cost = isObject(body.costDollars) ? body.costDollars : {};
  return {
    pages: [
      ...requiredListOf(body, "results")
        .filter(isObject)
        .map((item) =>
          fetchedPage(textOf(item.id) || textOf(item.url), {
            url: textOrNull(item.url),
            title: textOrNull(item.title),
            content: textOrNull(item.text),
          }),
        ),
      ...listOrEmpty(body.statuses)
        .filter(isObject)
        .filter(({ status }) => status === "error")
        .map(({ id, error }) => fetchedPage(textOf(id), { error: errorOf(isObject(error) ? error : {}) })),
    ],
    requestId: textOrNull(body.requestId),
    units: null,
    costUsd: amountOrNull(cost.total),
    usage: isObject(body.costDollars) ? { costDollars: cost } : {},
  };
}

function errorOf({ tag, httpStatusCode }: JsonObject): PageErrorCode {
  const word = textOf(tag);
  if (word.includes("NOT_FOUND")) return "not_found";
  return word.includes("TIMEOUT") ? "timeout" : errorOfPageStatus(amountOrNull(httpStatusCode));
}
