import { wholeOnly } from "../dialects/exchanges/whole-only.ts";
import type { Exchange, ProviderError, WholeAnswer } from "../dialects/exchange.ts";
import { toQuantity } from "../dimensions.ts";
import type { RequestWay } from "../operations/request-way.ts";
import type { Downgrade, ProviderAnswer } from "./answer.ts";
import { fitQuery } from "./fit-query.ts";
import type { ProviderRefusal, RefusalClass, SearchProvider } from "./provider.ts";
import { type AskedSearch, type FoundPages, readAnswer, readLargeAnswer } from "./read-answer.ts";
import { routeReceipt } from "./receipt.ts";
import type { SearchRequest } from "./request.ts";

/** A larger answer is not read, in bytes: hundreds of pages as text. */
const maxAnswerBytes = 8 << 20;

/** @param policyMax the maximum of results that the backend's settings allow @param unread paths that nobody reads */
export function searchExchange(
  request: SearchRequest,
  provider: SearchProvider,
  policyMax: number,
  unread: readonly string[],
): Exchange {
  const fitted = fitQuery(request, provider, policyMax);
  const call = provider.toRequest(fitted.query);
  const asked = { request, provider, fitted, downgrades: [...fitted.downgrades, ...call.downgrades] };
  const { method, path, body } = call;
  const headers: Record<string, string> = { accept: "application/json", ...call.headers };
  if (body !== null) headers["content-type"] = "application/json";
  return wholeOnly({
    request: { dialect: provider.name, method, path, headers, body: body === null ? null : JSON.stringify(body) },
    warnings: [...unread, ...unsent(asked.downgrades)],
    maxAnswerBytes,
    readWhole: (bytes) => wholeOf(asked, readAnswer(asked, bytes)),
    readLarge: async (bytes) => wholeOf(asked, await readLargeAnswer(asked, bytes)),
    readError: (page, status) => errorOf(provider.classifyError(status, page), status),
    readStatus: (status) => errorOf(provider.classifyError(status, null), status),
    wholeOfError(page, status) {
      return provider.classifyError(status, page).class === "no_results" ? wholeOf(asked, nothingFound) : null;
    },
  });
}

/** Fields that the provider is not sent. */
function unsent(downgrades: readonly Downgrade[]): string[] {
  return downgrades.filter(({ reason }) => reason !== "truncated").map(({ field }) => field);
}

/** Providers bill no errors, so nothing found costs nothing if they call it one. */
const noResults: ProviderAnswer = {
  results: [],
  answer: null,
  requestId: null,
  units: 0,
  costUsd: null,
  usage: {},
  downgrades: [],
};

const nothingFound: FoundPages = { answer: noResults, results: "[]", text: null, payload: "{}" };

function wholeOf(asked: AskedSearch, found: FoundPages): WholeAnswer {
  const { answer } = found;
  const { units: usual } = asked.provider.capabilities;
  const units = toQuantity(answer.units ?? usual[asked.fitted.query.depth]);
  return {
    body: "",
    observation: {
      responseId: null,
      usage: {
        quantities: { web_search: units },
        input: "final",
        output: "final",
        reasoning: null,
        raw: answer.usage,
        ...(answer.costUsd !== null && { costUsd: answer.costUsd }),
      },
      producedText: () => "",
    },
    report: (way) => report(asked, found, units, way),
  };
}

/** The answer as its caller sees it, and its receipt. Units that the provider cannot have billed are not charged. */
function report(asked: AskedSearch, { answer, results, text, payload }: FoundPages, units: number, way: RequestWay) {
  const { request, provider, fitted } = asked;
  const answering = way.attempts.find(({ hasAnswered }) => hasAnswered);
  const downgrades = [...asked.downgrades, ...answer.downgrades, ...answerDowngrades(asked, answer, text)];
  const receipt = routeReceipt(request, way, { downgrades, emulated: fitted.emulated });
  const head = JSON.stringify({ object: "search", id: way.requestId, query: request.query });
  const tail = JSON.stringify({
    answer: text,
    usage: { web_search_requests: 1, web_search_billable_units: Math.min(units, provider.capabilities.maxUnits) },
    provider_trace: {
      backend: way.hideProvider ? null : provider.name,
      attempts: way.attempts.length,
      latency_ms: Math.round(answering?.latencyMs ?? 0),
      provider_request_id: way.hideProvider ? null : answer.requestId,
    },
    route_receipt: receipt,
  });
  // Its form tells which provider it is.
  const shown = (request.includeProviderPayload && !way.hideProvider && payload) || "null";
  // The results and the payload are JSON already.
  const body = joined([head.slice(0, -1), ',"results":', results, ',"provider_payload":', shown, ",", tail.slice(1)]);
  return { body, receipt };
}

/** A text, unless parts of it are bytes. */
function joined(parts: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

function answerDowngrades(asked: AskedSearch, { answer }: ProviderAnswer, text: string | null): readonly Downgrade[] {
  if (!asked.fitted.query.includeAnswer || text !== null) return [];
  return [{ field: "include_answer", reason: answer === null ? "not_returned" : "domain_rules" }];
}

/** The status by which each class of errors is routed, and told to the caller. */
const statuses: Readonly<Record<Exclude<RefusalClass, "no_results">, number>> = {
  credential: 401,
  quota: 402,
  rate_limit: 429,
  request: 400,
  timeout: 504,
  server: 502,
};

export function errorOf(refusal: ProviderRefusal, status: number): ProviderError {
  const { message, code, retryAfterSeconds = null } = refusal;
  return { message, code, type: null, param: null, retryAfterSeconds, meantStatus: statusOf(refusal.class, status) };
}

function statusOf(refusal: RefusalClass, status: number): number {
  if (refusal === "no_results") return status;
  // 413 and 422 are refusals of the request too, and are told as they are.
  return refusal === "request" && (status === 413 || status === 422) ? status : statuses[refusal];
}
