import type { DialectName } from "../dialects/names.testkit.ts";
import type { Cell, FaultName } from "./faults.testkit.ts";
import type { HealthSeen, Observation, RecordSeen } from "./observation.testkit.ts";

/**
 * The effect of the first target's fault on the request. This table is written from the documented guarantees (section 5 of
 * docs/architecture.md) and shares no code with the gateway.
 */
type Meaning =
  /** No fault: the answer is complete. */
  | { readonly kind: "answered"; readonly slowed?: true }
  /** The request is invalid: its status is kept, and no other target is asked. */
  | { readonly kind: "the caller's fault"; readonly status: number; readonly type: string }
  /** The target failed before the first byte: the next one is asked, or the caller gets an error. */
  | {
      readonly kind: "failed";
      readonly status: number;
      readonly error: string;
      readonly retryAfter?: number;
      /** The wait that the provider asked for. */
      readonly opens?: true;
    }
  /** The target failed after the caller had a part of the answer. */
  | { readonly kind: "broken off"; readonly error: string }
  /** The caller disconnected before the answer, or during it. */
  | { readonly kind: "left"; readonly hadSome: boolean };

const answered: Meaning = { kind: "answered" };
const callersFault = (status: number, type = "invalid_request_error"): Meaning => ({
  kind: "the caller's fault",
  status,
  type,
});
const badGateway = (code: string): Meaning => ({ kind: "failed", status: 502, error: `upstream_error ${code}` });
const upstreamError = badGateway("upstream_error");
const unreachable = badGateway("upstream_unreachable");
const invalidResponse = badGateway("upstream_invalid_response");
const tooLate = (code: string): Meaning => ({ kind: "failed", status: 504, error: `upstream_timeout ${code}` });
const firstByteTooLate = tooLate("first_byte_timeout");
const overloaded: Meaning = {
  kind: "failed",
  status: 503,
  error: "overloaded_error no_target_available",
  // Without a wait from the provider, Retry-After is one second.
  retryAfter: 1,
};
const rateLimited: Meaning = { ...overloaded, status: 429, error: "rate_limit_exceeded provider_rate_limit" };
const brokenOff = (error: string): Meaning => ({ kind: "broken off", error });

const meanings: Readonly<Record<FaultName, Meaning | ((cell: Cell) => Meaning)>> = {
  none: answered,

  "connection refused": unreachable,
  reset: unreachable,
  closed: unreachable,
  "TLS failure": unreachable,
  "DNS failure": unreachable,
  "slow connect": tooLate("connect_timeout"),
  silence: firstByteTooLate,
  "slow headers": firstByteTooLate,

  "400": callersFault(400),
  "401": upstreamError,
  "402": upstreamError,
  "403": upstreamError,
  "404": upstreamError,
  "408": firstByteTooLate,
  "409": upstreamError,
  "413": callersFault(413, "request_too_large"),
  "422": callersFault(422),
  "429 with a wait": { ...rateLimited, retryAfter: 30, opens: true },
  "429 without a wait": rateLimited,
  "500": upstreamError,
  "502": upstreamError,
  "503": overloaded,
  "504": firstByteTooLate,
  "529": overloaded,
  "HTML error page": upstreamError,

  "HTML page with 200": invalidResponse,
  "empty body": invalidResponse,
  "truncated JSON": invalidResponse,
  "200 with an error body": upstreamError,
  "wrong content type": answered,
  "error event first": upstreamError,
  "error event mid-stream": brokenOff("upstream_error upstream_error"),
  "stall before the first byte": firstByteTooLate,
  // A JSON answer is forwarded when it is complete: until then another target can be asked.
  "stall mid-stream": ({ form }) =>
    form === "json" ? tooLate("idle_timeout") : brokenOff("upstream_timeout idle_timeout"),
  "cut mid-stream": ({ form }) =>
    form === "json" ? invalidResponse : brokenOff("upstream_error upstream_invalid_response"),
  "end without a finish reason": brokenOff("upstream_error upstream_invalid_response"),
  // A stream is complete with its finish reason, which some dialects send only with the terminal event.
  "no terminal event": ({ dialect }) =>
    finishesBeforeTerminalEvent[dialect] ? answered : brokenOff("upstream_error upstream_invalid_response"),

  "caller leaves before the headers": { kind: "left", hadSome: false },
  "caller leaves before the first byte": { kind: "left", hadSome: false },
  "caller leaves mid-stream": ({ form }) => ({ kind: "left", hadSome: form === "stream" }),
  // A JSON answer is read completely before it is forwarded, so its provider is not blocked.
  "slow reader": ({ form }) => (form === "stream" ? { kind: "answered", slowed: true } : answered),
};

const finishesBeforeTerminalEvent: Readonly<Record<DialectName, boolean>> = {
  "openai-chat": true,
  "openai-responses": false,
  "anthropic-messages": true,
  gemini: false,
};

/** Faults for which no request arrives at the target. */
const uncounted: ReadonlySet<FaultName> = new Set(["connection refused", "DNS failure", "slow connect"]);

const well: HealthSeen = { state: "closed", inFlight: 0, errorRate: 0 };
const failing: HealthSeen = { state: "closed", inFlight: 0, errorRate: 1 };
const paused: HealthSeen = { state: "open", inFlight: 0, errorRate: 1 };

/** The expected observation of a cell. */
export function expectedOf(cell: Cell): Observation {
  const meaning = meanings[cell.fault];
  const seen = outcomeOf(cell, typeof meaning === "function" ? meaning(cell) : meaning);
  return uncounted.has(cell.fault) ? { ...seen, firstCalls: null } : seen;
}

const answeredRecord: RecordSeen = {
  status: "succeeded",
  statusCode: 200,
  error: null,
  billing: "charged",
  attempts: 1,
  answeredBy: "first",
};

const goodAnswer: Observation = {
  status: 200,
  error: null,
  ending: "whole",
  heard: "first",
  retryAfter: null,
  attemptsHeader: 1,
  firstCalls: 1,
  secondCalls: 0,
  slowed: false,
  record: answeredRecord,
  charge: "first",
  health: well,
};

function outcomeOf({ targets }: Cell, meaning: Meaning): Observation {
  switch (meaning.kind) {
    case "answered":
      return { ...goodAnswer, slowed: meaning.slowed === true };
    case "the caller's fault":
      return refusal(meaning.status, `${meaning.type} null`, null, well);
    case "failed": {
      const health = meaning.opens === true ? paused : failing;
      return targets === 1
        ? refusal(meaning.status, meaning.error, meaning.retryAfter ?? null, health)
        : answeredBySecond(health);
    }
    case "broken off":
      return {
        ...goodAnswer,
        error: meaning.error,
        ending: "broken off",
        record: { ...answeredRecord, status: "failed", error: meaning.error, billing: "refunded" },
        charge: "nothing",
        health: failing,
      };
    case "left":
      return meaning.hadSome ? leftWithSome : leftWithNothing;
  }
}

function refusal(status: number, error: string, retryAfter: number | null, health: HealthSeen): Observation {
  return {
    ...goodAnswer,
    status,
    error,
    ending: "error",
    heard: null,
    retryAfter,
    record: { ...failedRecord, statusCode: status, error },
    charge: "nothing",
    health,
  };
}

function answeredBySecond(health: HealthSeen): Observation {
  return {
    ...goodAnswer,
    heard: "second",
    attemptsHeader: 2,
    secondCalls: 1,
    record: { ...answeredRecord, attempts: 2, answeredBy: "second" },
    charge: "second",
    health,
  };
}

const failedRecord: RecordSeen = { ...answeredRecord, status: "failed", billing: "refunded", answeredBy: null };

const leftWithSome: Observation = {
  ...goodAnswer,
  ending: "left",
  record: { ...answeredRecord, status: "cancelled" },
  charge: "produced",
};

const leftWithNothing: Observation = {
  ...goodAnswer,
  status: null,
  ending: "left",
  heard: null,
  attemptsHeader: null,
  record: { ...failedRecord, status: "cancelled", statusCode: 499 },
  charge: "nothing",
};
