import { createHash } from "node:crypto";
import type { AnswerRoom, Exchange, ReportedAnswer, WholeAnswer } from "../../dialects/exchange.ts";
import type { RequestHeaders } from "../../http/headers.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import type { Recalled } from "../../operations/operation.ts";
import type { RequestWay } from "../../operations/request-way.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { fitQuery } from "../fit-query.ts";
import { findSearchProvider } from "../providers/registry.ts";
import { type RouteReceipt, routeReceipt } from "../receipt.ts";
import type { SearchRequest } from "../request.ts";
import type { SearchCache } from "./search-cache.ts";

/** How one search may use the cache. */
export interface CacheUse {
  /** One account's answers are never given to another. */
  readonly accountId: string;
  /** False: its caller wants a new answer, which is kept for others all the same. */
  readonly mayRecall: boolean;
  /** False: its answer is for nobody else. */
  readonly mayKeep: boolean;
}

/** Reads `Cache-Control: no-cache` and `no-store` of a request. */
export function readCacheUse(accountId: string, headers: RequestHeaders): CacheUse {
  const asked = headers.get("cache-control")?.toLowerCase() ?? "";
  const mayKeep = !/\bno-store\b/.test(asked);
  return { accountId, mayKeep, mayRecall: mayKeep && !/\bno-cache\b/.test(asked) };
}

/** What is kept of an answer. */
interface KeptAnswer {
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

type CachedCandidate = Pick<Candidate, "model" | "target">;

/** The exchange, whose answer is kept once it is known how it was found. */
export function keeping(exchange: Exchange, cache: SearchCache, key: string): Exchange {
  const kept = (answer: WholeAnswer): WholeAnswer => {
    const { report } = answer;
    if (!report) return answer;
    const keep = (way: RequestWay): ReportedAnswer => {
      const reported = report(way);
      const { body } = reported;
      const text = typeof body === "string" ? body : new TextDecoder().decode(body);
      cache.keep(key, `{"warnings":${JSON.stringify(exchange.warnings)},"body":${text}}`);
      return reported;
    };
    return { ...answer, report: keep };
  };
  const readLarge = async (bytes: Uint8Array, room: AnswerRoom) =>
    kept((await exchange.readLarge?.(bytes, room)) ?? exchange.readWhole(bytes));
  return {
    ...exchange,
    readWhole: (bytes) => kept(exchange.readWhole(bytes)),
    ...("readLarge" in exchange && { readLarge }),
    wholeOfError(page, status) {
      const answer = exchange.wholeOfError?.(page, status) ?? null;
      return answer && kept(answer);
    },
  };
}

/**
 * The answer that is kept for the first candidate that can be asked, or for one before it; null if there is none, so that
 * no backend answers in place of one that comes before it.
 */
export function recallSearch(
  request: SearchRequest,
  { accountId }: CacheUse,
  cache: SearchCache,
  candidates: readonly Candidate[],
): Recalled | null {
  for (const candidate of candidates) {
    const key = keyOf(request, accountId, candidate);
    const kept = key === null ? null : readKept(cache.find(key));
    if (kept !== null) return recalled(request, candidate, kept);
    const { circuit } = candidate.target.health;
    if (circuit.admits() && candidate.target.health.pickCredential([]) >= 0) return null;
  }
  return null;
}

/**
 * All that an answer depends on; null if the backend's answers may not be kept. The day is part of it, since ranges of time
 * are counted from it.
 */
export function keyOf(request: SearchRequest, accountId: string, { model, target }: CachedCandidate): string | null {
  const settings = model.search;
  const provider = settings?.mayCache ? findSearchProvider(settings.provider) : null;
  if (!settings || !provider) return null;
  const { query, ...fitted } = fitQuery(request, provider, settings.maxResults);
  const { include, exclude } = request.rules;
  const day = Math.floor(request.now / 86_400_000);
  const parts = [
    accountId,
    model.id,
    provider.name,
    target.provider.baseUrl,
    // Lists of domains are sent whole or not at all, in whichever order.
    { ...query, includeDomains: query.includeDomains.length, excludeDomains: query.excludeDomains.length, now: day },
    fitted,
    include && [...include].sort(),
    [...exclude].sort(),
    request.includeProviderPayload,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}

function readKept(text: string | null): KeptAnswer | null {
  if (text === null) return null;
  const { body, warnings }: JsonObject = JSON.parse(text);
  if (!isObject(body) || !Array.isArray(warnings)) return null;
  return { body, warnings: warnings.filter((each) => typeof each === "string") };
}

function recalled(request: SearchRequest, { model }: Candidate, { body, warnings }: KeptAnswer): Recalled {
  const usage = { quantities: { web_search: 0 }, input: "final", output: "final", reasoning: null, raw: {} } as const;
  return {
    model,
    warnings,
    answer: {
      body: "",
      observation: { responseId: null, usage, producedText: () => "" },
      report: (way) => reportAgain(request, body, model.id, way),
    },
  };
}

/** The same answer, with what is of this request alone. */
function reportAgain(request: SearchRequest, kept: JsonObject, backend: string, way: RequestWay): ReportedAnswer {
  // It was written by the gateway itself.
  const { downgrades, emulated } = kept.route_receipt as RouteReceipt;
  const receipt = routeReceipt(request, way, { downgrades, emulated, backend, cache: "hit" });
  const body = JSON.stringify({
    ...kept,
    id: way.requestId,
    query: request.query,
    usage: { web_search_requests: 1, web_search_billable_units: 0 },
    provider_trace: {
      backend: receipt.chose_provider,
      attempts: way.attempts.length,
      latency_ms: 0,
      provider_request_id: null,
    },
    route_receipt: receipt,
  });
  return { body, receipt };
}
