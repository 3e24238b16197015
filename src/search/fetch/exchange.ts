import { checkStructure } from "../../dialects/exchanges/bounded-json.ts";
import { wholeOnly } from "../../dialects/exchanges/whole-only.ts";
import {
  AnswerFault,
  type CallOutcome,
  type Exchange,
  type ProviderError,
  type UpstreamRequest,
  type WholeAnswer,
} from "../../dialects/exchange.ts";
import { isObject } from "../../json/values.ts";
import { maxUnitsOfPages, unitsOfPages } from "../../metering/expected-usage.ts";
import { errorOf } from "../exchange.ts";
import type { SearchProvider } from "../provider.ts";
import { wholeOf } from "./answer.ts";
import { matchPages } from "./match-pages.ts";
import type { PageErrorCode } from "./page-error.ts";
import { type FetchAnswer, fetchedPage, type FetchFormat, type PageFetcher, type PageQuery } from "./page-fetcher.ts";
import type { FetchRequest } from "./request.ts";

/** More is not read, in bytes, of all pages together. */
const maxAnswerBytes = 8 << 20;

/** A provider gives a page up so long before the gateway gives the provider up, so that the others are not lost with it. */
const marginMs = 1_000;
const minTimeoutMs = 1_000;

/** A fetch put to one provider. */
export interface AskedFetch {
  readonly request: FetchRequest;
  readonly provider: Pick<SearchProvider, "name">;
  readonly fetcher: PageFetcher;
  /** Paths of fields that nobody reads. */
  readonly unread: readonly string[];
}

/** The backend, as far as a fetch depends on it. */
interface Place {
  readonly baseUrl: string;
  readonly timeouts: { readonly totalMs: number };
}

export function fetchExchange(asked: AskedFetch, { baseUrl, timeouts }: Place): Exchange {
  const { request, fetcher, unread } = asked;
  const { urls } = request;
  const format = formatOf(asked);
  const timeoutMs = Math.max(minTimeoutMs, timeouts.totalMs - marginMs);
  const queries = fetcher.isOnePerCall ? urls.map((url) => [url]) : [urls];
  const requests = queries.map((some) => upstreamRequest(asked, { urls: some, format, timeoutMs }, baseUrl));
  const [first] = requests;
  if (!first) throw new Error("There is nothing to fetch.");
  let outcomes: readonly CallOutcome[] = [];
  return wholeOnly({
    request: first,
    ...(fetcher.isOnePerCall && {
      calls: {
        requests,
        maxBytes: maxAnswerBytes,
        isAnswer: (status, body) => "page" in fetcher.classifyError(status, parsed(body)),
        take: (all) => (outcomes = all),
      },
    }),
    warnings: format === request.format ? unread : [...unread, "format"],
    maxAnswerBytes,
    readWhole: (bytes) =>
      answered(asked, fetcher.isOnePerCall ? answersOf(asked, outcomes) : [readAnswer(fetcher, bytes)]),
    readError: (page, status) => providerError(fetcher, page, status),
    readStatus: (status) => providerError(fetcher, null, status),
    wholeOfError(page, status) {
      const meaning = fetcher.classifyError(status, page);
      return "page" in meaning ? answered(asked, [withError(urls, meaning.page)]) : null;
    },
  });
}

function formatOf({ request: { format }, fetcher: { formats } }: AskedFetch): FetchFormat {
  return formats.includes(format) ? format : formats[0];
}

function upstreamRequest({ provider, fetcher }: AskedFetch, query: PageQuery, baseUrl: string): UpstreamRequest {
  const { method, path, headers: own, body } = fetcher.toRequest(query);
  const headers: Record<string, string> = { accept: "application/json", ...own };
  if (body !== null) headers["content-type"] = "application/json";
  const address = fetcher.baseUrl?.(baseUrl) ?? baseUrl;
  return {
    dialect: provider.name,
    method,
    ...(address !== baseUrl && { baseUrl: address }),
    path,
    headers,
    body: body === null ? null : JSON.stringify(body),
  };
}

/** What is said of a page is an answer, and comes here from nobody. */
function providerError(fetcher: PageFetcher, page: unknown, status: number): ProviderError {
  const meaning = fetcher.classifyError(status, page);
  return errorOf("page" in meaning ? { class: "server", message: null, code: null } : meaning, status);
}

/** Whatever is wrong with an answer, the next backend is asked. */
function readAnswer(fetcher: PageFetcher, bytes: Uint8Array): FetchAnswer {
  checkStructure(bytes);
  const body = parsed(bytes);
  if (!isObject(body)) throw new AnswerFault("The provider's answer is not a JSON object.");
  try {
    return fetcher.readAnswer(body);
  } catch (error) {
    if (error instanceof AnswerFault) throw error;
    throw new AnswerFault(`The provider's answer cannot be read: ${String(error)}`);
  }
}

/** Null if it is no JSON. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** The answers to calls for one page each. If none of them can be read, the provider is at fault. */
function answersOf({ request: { urls }, fetcher }: AskedFetch, outcomes: readonly CallOutcome[]): FetchAnswer[] {
  let unreadable: AnswerFault | null = null;
  let hasAnswer = false;
  const answers = outcomes.map((outcome, index): FetchAnswer => {
    const asked = urls.slice(index, index + 1);
    const error = errorOfOutcome(fetcher, outcome);
    if (error !== null || outcome.body === null) {
      hasAnswer ||= error?.isAnswer !== false;
      return withError(asked, error?.code ?? "too_large");
    }
    try {
      const answer = readAnswer(fetcher, outcome.body);
      hasAnswer = true;
      return { ...answer, pages: answer.pages.slice(0, 1).map((page) => ({ ...page, asked: asked[0] ?? null })) };
    } catch (fault) {
      if (!(fault instanceof AnswerFault)) throw fault;
      unreadable ??= fault;
      return withError(asked, "failed");
    }
  });
  if (!hasAnswer) throw unreadable ?? new AnswerFault("No call of several has been answered.");
  return answers;
}

/** Why a call gave no page; null if it did. Whether that is said of the page, or is a fault of the provider's. */
function errorOfOutcome(
  fetcher: PageFetcher,
  { status, body, isLate }: CallOutcome,
): { readonly code: PageErrorCode; readonly isAnswer: boolean } | null {
  if (status === null) return { code: isLate ? "timeout" : "failed", isAnswer: false };
  if (status >= 200 && status <= 299) return null;
  const meaning = fetcher.classifyError(status, body && parsed(body));
  if ("page" in meaning) return { code: meaning.page, isAnswer: true };
  const { class: kind } = meaning;
  return { code: kind === "rate_limit" || kind === "timeout" ? kind : "failed", isAnswer: false };
}

/** The answer that each of these pages has the same error. */
function withError(urls: readonly string[], error: PageErrorCode): FetchAnswer {
  const pages = urls.map((url) => fetchedPage(url, { error }));
  return { pages, requestId: null, units: null, costUsd: null, usage: {} };
}

function answered({ request, provider, fetcher }: AskedFetch, answers: readonly FetchAnswer[]): WholeAnswer {
  const pages = answers.flatMap((answer) => answer.pages);
  const told = answers.map(({ usage }) => usage).filter((usage) => Object.keys(usage).length > 0);
  const [only] = told;
  const isDowngraded = !fetcher.formats.includes(request.format);
  return wholeOf(request, {
    results: matchPages(request, pages),
    maxUnits: maxUnitsOfPages(request.urls.length, fetcher.units),
    units: sumOfTold(answers.map(({ units }) => units)) ?? unitsOfPages(pages.filter(isThere).length, fetcher.units),
    requestId: answers.find(({ requestId }) => requestId !== null)?.requestId ?? null,
    costUsd: sumOfTold(answers.map(({ costUsd }) => costUsd)),
    usage: told.length > 1 ? { calls: told } : (only ?? {}),
    provider: provider.name,
    downgrades: isDowngraded ? [{ field: "format", reason: "unsupported" }] : [],
  });
}

function isThere({ error, content }: FetchAnswer["pages"][number]): boolean {
  return error === null && content !== null;
}

/** The sum of what is known, without the noise of adding fractions; null if nothing is. */
function sumOfTold(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null);
  return known.length === 0 ? null : Math.round(known.reduce((sum, figure) => sum + figure, 0) * 1e6) / 1e6;
}
