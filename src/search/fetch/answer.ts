import type { Observation, ReportedAnswer, WholeAnswer } from "../../dialects/exchange.ts";
import { toQuantity } from "../../dimensions.ts";
import type { RequestWay } from "../../operations/request-way.ts";
import type { Downgrade } from "../answer.ts";
import { receiptOf } from "../receipt.ts";
import { judgementOf } from "./judgement.ts";
import { matchPages, type PageResult } from "./match-pages.ts";
import type { FetchAnswer } from "./page-fetcher.ts";
import type { FetchRequest } from "./request.ts";

/** What came of a fetch. */
export interface Fetched extends Pick<FetchAnswer, "requestId" | "costUsd" | "usage"> {
  readonly results: readonly PageResult[];
  readonly units: number;
  /** Units that so many pages may be at most: what the provider reports beyond it is not charged. */
  readonly maxUnits: number;
  /** The name of the provider; null if none was asked. */
  readonly provider: string | null;
  readonly downgrades: readonly Downgrade[];
}

/** The answer to a fetch, which is made once it is known how it was found. */
export function wholeOf(request: FetchRequest, fetched: Fetched): WholeAnswer {
  return { body: "", observation: observationOf(fetched), report: (way) => report(request, fetched, way) };
}

/** The answer if none of the addresses may be fetched: each has its error, and it costs nothing. */
export function answerWithoutAsking(request: FetchRequest): WholeAnswer {
  return wholeOf(request, {
    results: matchPages(request, []),
    units: 0,
    maxUnits: 0,
    requestId: null,
    costUsd: null,
    usage: {},
    provider: null,
    downgrades: [],
  });
}

function observationOf({ units, costUsd, usage }: Fetched): Observation {
  return {
    responseId: null,
    usage: {
      quantities: { web_search: toQuantity(units) },
      input: "final",
      output: "final",
      reasoning: null,
      raw: usage,
      ...(costUsd !== null && { costUsd }),
    },
    producedText: () => "",
  };
}

function report(request: FetchRequest, fetched: Fetched, way: RequestWay): ReportedAnswer {
  const answering = way.attempts.find(({ hasAnswered }) => hasAnswered);
  const receipt = receiptOf(judgementOf(request), way, { downgrades: fetched.downgrades, emulated: [] });
  const body = JSON.stringify({
    object: "fetch",
    id: way.requestId,
    results: fetched.results,
    usage: { web_fetch_requests: 1, web_fetch_billable_units: Math.min(toQuantity(fetched.units), fetched.maxUnits) },
    provider_trace: {
      backend: way.hideProvider ? null : fetched.provider,
      attempts: way.attempts.length,
      latency_ms: Math.round(answering?.latencyMs ?? 0),
      provider_request_id: way.hideProvider ? null : fetched.requestId,
    },
    route_receipt: receipt,
  });
  return { body, receipt };
}
