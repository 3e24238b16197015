import { checkStructure } from "../dialects/exchanges/bounded-json.ts";
import { wholeOnly } from "../dialects/exchanges/whole-only.ts";
import { AnswerFault, type Exchange, type ProviderError, type WholeAnswer } from "../dialects/exchange.ts";
import { toQuantity } from "../dimensions.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import type { RequestWay } from "../operations/request-way.ts";
import type { Downgrade, ProviderAnswer } from "./answer.ts";
import { areRestrictive, allowsHost } from "./domains/domain-rules.ts";
import { filterPayload, isAllowedText } from "./domains/filter-payload.ts";
import { hostOf } from "./domains/host.ts";
import { type FittedQuery, fitQuery } from "./fit-query.ts";
import { normalizeResults } from "./normalize/normalize-results.ts";
import type { ProviderRefusal, RefusalClass, SearchProvider } from "./provider.ts";
import { routeReceipt } from "./receipt.ts";
import type { SearchRequest } from "./request.ts";

/** A larger answer is not read, in bytes: hundreds of pages as text. */
const maxAnswerBytes = 8 << 20;

/** One search put to one provider. */
interface AskedSearch {
  readonly request: SearchRequest;
  readonly provider: SearchProvider;
  readonly fitted: FittedQuery;
  /** All that this provider does not do of it. */
  readonly downgrades: readonly Downgrade[];
}

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
    readWhole: (bytes) => readAnswer(asked, bytes),
    readError: (page, status) => errorOf(provider.classifyError(status, page), status),
    readStatus: (status) => errorOf(provider.classifyError(status, null), status),
    wholeOfError(page, status) {
      return provider.classifyError(status, page).class === "no_results" ? wholeOf(asked, noResults, {}) : null;
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

function readAnswer(asked: AskedSearch, bytes: Uint8Array): WholeAnswer {
  checkStructure(bytes);
  const payload = parsed(bytes);
  if (!isObject(payload)) throw new AnswerFault("The provider's answer is not a JSON object.");
  return wholeOf(asked, answerOf(asked, payload), payload);
}

/** Whatever is wrong with an answer, the next backend is asked. */
function answerOf({ provider, fitted }: AskedSearch, payload: JsonObject): ProviderAnswer {
  try {
    return provider.readAnswer(payload, fitted.query);
  } catch (error) {
    if (error instanceof AnswerFault) throw error;
    throw new AnswerFault(`The provider's answer cannot be read: ${String(error)}`);
  }
}

/** Null if it is no JSON. */
export function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function wholeOf(asked: AskedSearch, answer: ProviderAnswer, payload: JsonObject): WholeAnswer {
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
    report: (way) => report(asked, answer, { payload, units }, way),
  };
}

/** The answer as its caller sees it, and its receipt. */
function report(
  asked: AskedSearch,
  answer: ProviderAnswer,
  { payload, units }: { readonly payload: JsonObject; readonly units: number },
  way: RequestWay,
) {
  const { request, provider, fitted } = asked;
  const { rules } = request;
  const results = normalizeResults(answer.results, {
    rules,
    maxResults: fitted.maxResults,
    includeContent: fitted.query.includeRawContent,
    now: request.now,
  });
  const text = allowedAnswer(asked, answer);
  const answering = way.attempts.find(({ hasAnswered }) => hasAnswered);
  const downgrades = [...asked.downgrades, ...answer.downgrades, ...answerDowngrades(asked, answer, text)];
  const receipt = routeReceipt(request, way, { downgrades, emulated: fitted.emulated });
  const body = JSON.stringify({
    object: "search",
    id: way.requestId,
    query: request.query,
    results,
    answer: text,
    // Its form tells which provider it is.
    provider_payload:
      request.includeProviderPayload && !way.hideProvider ? filterPayload(payload, rules, text !== null) : null,
    usage: { web_search_requests: 1, web_search_billable_units: units },
    provider_trace: {
      backend: way.hideProvider ? null : provider.name,
      attempts: way.attempts.length,
      latency_ms: Math.round(answering?.latencyMs ?? 0),
      provider_request_id: way.hideProvider ? null : answer.requestId,
    },
    route_receipt: receipt,
  });
  return { body, receipt };
}

/**
 * The provider's answer, if it keeps to the domain rules. Its pages are those that the provider has searched: if only some
 * domains are allowed, it must have been told which, have kept to them, and say what it cites.
 */
function allowedAnswer(
  { request: { rules }, fitted }: AskedSearch,
  { answer, results }: ProviderAnswer,
): string | null {
  if (answer === null || !areRestrictive(rules)) return answer?.text ?? null;
  const wasTold = !fitted.emulated.some((field) => field !== "max_results");
  const isAllowed = (url: string) => {
    const host = hostOf(url);
    return host !== null && allowsHost(rules, host);
  };
  const isKept = answer.citedUrls.every(isAllowed) && results.every(({ url }) => isAllowed(url));
  const isShown = rules.include === null || answer.citedUrls.length > 0;
  return wasTold && isKept && isShown && isAllowedText(answer.text, rules) ? answer.text : null;
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
