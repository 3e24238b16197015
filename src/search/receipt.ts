import type { RequestWay, WayAttempt, WayBackend } from "../operations/request-way.ts";
import type { Downgrade } from "./answer.ts";
import { type LacksOf, lacksOf } from "./arrange-backends.ts";
import type { SearchBackend } from "./backend.ts";
import { findSearchProvider } from "./providers/registry.ts";
import type { SearchRequest } from "./request.ts";

/** Why a backend did not answer. The codes are public. */
export type RejectionReason =
  | "disabled"
  | "unhealthy"
  | "unsupported_type"
  | "unsupported_option"
  | "not_allowed"
  | "full"
  | "failed_timeout"
  | "failed_rate_limit"
  | "failed_credential"
  | "failed_quota"
  | "failed_server"
  | "failed_invalid_response"
  | "failed_unreachable";

/** Which backend was chosen, and why not the others. Its names are public and never change. */
export type RouteReceipt = {
  readonly selection: "auto" | "explicit";
  /** The id of the backend that answered; null if none did. */
  readonly selected_backend: string | null;
  readonly chose_provider: string | null;
  readonly candidates: readonly string[];
  readonly rejected: readonly { readonly backend: string; readonly reason: RejectionReason }[];
  readonly downgraded: boolean;
  readonly downgrades: readonly Downgrade[];
  /** The caller's fields that the gateway saw to instead of the provider. */
  readonly emulated: readonly string[];
  /** Backends that were asked and did not answer. */
  readonly fallback_count: number;
  readonly decision_reason: DecisionReason;
  /** Whether the answer was kept from before; null if answers of the backend are not kept. */
  readonly cache: "hit" | "miss" | null;
};

/** What decided. */
type DecisionReason =
  | "explicit"
  | "only_candidate"
  | "capabilities"
  | "priority"
  | "price_or_weight"
  | "fallback"
  | "none";

/** What became of the request at the backend that answered. */
export interface Outcome {
  readonly downgrades: readonly Downgrade[];
  readonly emulated: readonly string[];
  /** The backend whose answer is given again, if none was asked. */
  readonly backend?: string;
  readonly cache?: RouteReceipt["cache"];
}

/** What a receipt has to know of the request. */
export interface Judgement {
  readonly lacksOf: LacksOf;
  /** Why an enabled backend cannot take the request at all. */
  reasonAgainst(settings: SearchBackend): RejectionReason;
}

/** @param outcome null if no backend has answered */
export function routeReceipt(request: SearchRequest, way: RequestWay, outcome: Outcome | null): RouteReceipt {
  return receiptOf(judgementOf(request), way, outcome && { cache: request.cache ?? null, ...outcome });
}

function judgementOf(request: SearchRequest): Judgement {
  return {
    lacksOf: (settings) => lacksOf(request, settings),
    reasonAgainst({ provider }) {
      const hasNews = findSearchProvider(provider)?.capabilities.news;
      return request.type === "news" && hasNews === false ? "unsupported_type" : "not_allowed";
    },
  };
}

/** @param outcome null if no backend has answered */
export function receiptOf(request: Judgement, way: RequestWay, outcome: Outcome | null): RouteReceipt {
  const { attempts, candidates, hideProvider } = way;
  const answering = attempts.find(({ hasAnswered }) => hasAnswered);
  const selectedId = answering?.id ?? outcome?.backend;
  const selected = way.backends.find(({ id }) => id === selectedId) ?? null;
  const failed = new Set(attempts.filter(({ fault }) => fault !== null).map(({ id }) => id));
  if (selected) failed.delete(selected.id);
  const downgrades = outcome?.downgrades ?? [];
  return {
    selection: way.isExplicit ? "explicit" : "auto",
    selected_backend: selected?.id ?? null,
    chose_provider: hideProvider ? null : (selected?.settings?.provider ?? null),
    candidates,
    rejected: way.backends.flatMap((backend) => {
      const reason = backend === selected ? null : reasonAgainst(request, way, backend, selected);
      return reason === null ? [] : [{ backend: backend.id, reason }];
    }),
    downgraded: downgrades.length > 0,
    downgrades,
    emulated: outcome?.emulated ?? [],
    fallback_count: failed.size,
    decision_reason: decisionReason(request, way, selected, failed.size),
    cache: outcome?.cache ?? null,
  };
}

/** Why a backend did not answer; null if it did not come to its turn. */
function reasonAgainst(
  request: Judgement,
  { attempts, candidates }: RequestWay,
  backend: WayBackend,
  selected: WayBackend | null,
): RejectionReason | null {
  const { id, state } = backend;
  if (state === "excluded") return reasonOfExclusion(request, backend);
  const fault = attempts.findLast((attempt) => attempt.id === id)?.fault ?? null;
  if (fault !== null) return reasonOfFault(fault);
  if (selected !== null && candidates.indexOf(id) > candidates.indexOf(selected.id)) {
    return reasonOfRank(request, backend, selected);
  }
  return state === "able" ? null : state;
}

function reasonOfExclusion(request: Judgement, { settings }: WayBackend): RejectionReason {
  return settings?.isEnabled ? request.reasonAgainst(settings) : "disabled";
}

/** Why a backend did not answer, by the fault of its call. */
export function reasonOfFault({ kind, status }: NonNullable<WayAttempt["fault"]>): RejectionReason {
  if (kind === "unreachable") return "failed_unreachable";
  if (kind === "status") return reasonOfStatus(status ?? 0);
  return kind.endsWith("_timeout") || kind === "reader_stalled" ? "failed_timeout" : "failed_invalid_response";
}

function reasonOfStatus(status: number): RejectionReason {
  if (status === 401 || status === 403) return "failed_credential";
  if (status === 402) return "failed_quota";
  if (status === 429) return "failed_rate_limit";
  if (status === 408 || status === 504) return "failed_timeout";
  return status === 400 || status === 413 || status === 422 ? "unsupported_option" : "failed_server";
}

/** A backend that would have been asked first, if it could do as much of the request. */
function reasonOfRank(request: Judgement, backend: WayBackend, selected: WayBackend): RejectionReason | null {
  const isPreferred = priorityOf(backend) <= priorityOf(selected);
  return isPreferred && request.lacksOf(backend.settings) > request.lacksOf(selected.settings)
    ? "unsupported_option"
    : null;
}

function decisionReason(
  request: Judgement,
  { backends, candidates, named, isExplicit }: RequestWay,
  selected: WayBackend | null,
  fallbacks: number,
): DecisionReason {
  if (selected === null) return "none";
  if (fallbacks > 0) return "fallback";
  if (named === selected.id) return "explicit";
  const nextId = candidates.find((id) => id !== selected.id);
  const next = backends.find(({ id }) => id === nextId);
  if (!next) return isExplicit ? "explicit" : "only_candidate";
  if (request.lacksOf(next.settings) !== request.lacksOf(selected.settings)) return "capabilities";
  return priorityOf(next) === priorityOf(selected) ? "price_or_weight" : "priority";
}

function priorityOf({ settings }: WayBackend): number {
  return settings?.priority ?? 0;
}
