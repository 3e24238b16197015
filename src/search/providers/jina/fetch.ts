import { isObject, type JsonObject } from "../../../json/values.ts";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { errorOfPageStatus, errorOfWords } from "../../fetch/page-error.ts";
import { type FetchAnswer, fetchedPage, type FetchRefusal, type PageFetcher } from "../../fetch/page-fetcher.ts";
import type { ProviderRefusal } from "../../provider.ts";
import { amountOrNull, textOf, textOrNull } from "../read-answer.ts";

/** A longer page is refused by Jina, since it charges the length of pages. In tokens. */
const maxTokens = 200_000;

/**
 * Jina's reader: it takes one address a call, at `r.jina.ai` if searches go to `s.jina.ai`.
 * @param tokensPerUnit the tokens that are one billing unit
 * @param classifySearchError what errors mean that are not about a page
 */
export function jinaFetcher(
  tokensPerUnit: number,
  classifySearchError: (status: number, body: unknown) => ProviderRefusal,
): PageFetcher {
  return {
    isOnePerCall: true,
    formats: ["markdown", "text"],
    units: { pagesPerUnit: 1, maxPerPage: maxTokens / tokensPerUnit },
    baseUrl: (baseUrl) => baseUrl.replace(/^(https?:\/\/(?:[a-z]+\.)?)s\.jina\.ai(?=[/:]|$)/, "$1r.jina.ai"),
    toRequest: ({ urls: [url], format, timeoutMs }) => ({
      method: "POST",
      path: "/",
      headers: {
        "x-return-format": format,
        "x-timeout": String(Math.min(180, Math.max(1, Math.floor(timeoutMs / 1_000)))),
        "x-token-budget": String(maxTokens),
      },
      body: { url },
    }),
    readAnswer: (body) => readAnswer(body, tokensPerUnit),
    classifyError: (status, body) => classifyError(status, body) ?? classifySearchError(status, body),
  };
}

function readAnswer({ data, meta }: JsonObject, tokensPerUnit: number): FetchAnswer {
  if (!isObject(data)) throw new AnswerFault("The provider's answer has no object 'data'.");
  const own = isObject(data.usage) ? data.usage : {};
  const usage = isObject(meta) && isObject(meta.usage) ? meta.usage : own;
  const tokens = amountOrNull(usage.tokens);
  // What is read of a page that is not there is the text of its error.
  const [, targetStatus] = /returned error (\d{3})/i.exec(textOf(data.warning).slice(0, 2_000)) ?? [];
  return {
    pages: [
      fetchedPage(null, {
        url: textOrNull(data.url),
        title: textOrNull(data.title),
        content: textOrNull(data.content) ?? textOrNull(data.text),
        error: targetStatus === undefined ? null : errorOfPageStatus(Number(targetStatus)),
      }),
    ],
    requestId: null,
    units: tokens === null ? null : tokens / tokensPerUnit,
    costUsd: null,
    usage,
  };
}

/** What the reader says by an error of its page; null if it is about something else. */
function classifyError(status: number, body: unknown): FetchRefusal | null {
  const answer = isObject(body) ? body : {};
  const message = textOf(answer.message).slice(0, 2_000);
  switch (status) {
    // The page is longer than the budget of tokens.
    case 409:
      return { page: "too_large" };
    case 422:
      return { page: errorOfWords(message) };
    case 451:
      return { page: "forbidden" };
    case 400:
      return /\b(url|domain|host|resolve)/i.test(message) ? { page: errorOfWords(message) } : null;
    default:
      return null;
  }
}
