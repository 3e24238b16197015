export type Which = "first" | "second";

/** What can be seen of one request from outside: by its caller, by its providers, and by the operator. */
export interface Observation {
  /** HTTP status; null where the caller left before there was one. */
  readonly status: number | null;
  /** `type code` of the error that the caller was told, in the body or in the stream. */
  readonly error: string | null;
  /** `whole`: all of a target's answer and its proper end. `broken off`: some of it, then an error event and no proper end. */
  readonly ending: "whole" | "error" | "broken off" | "left" | "not as it should be";
  /** The target whose words the caller has heard. */
  readonly heard: Which | null;
  /** Seconds. */
  readonly retryAfter: number | null;
  /** `X-Service-Attempts`; null where the caller left before the headers. */
  readonly attemptsHeader: number | null;
  /** Requests that the first target received; null where no request gets through to be counted. */
  readonly firstCalls: number | null;
  readonly secondCalls: number;
  /** The provider could send no faster than its reader took. */
  readonly slowed: boolean;
  readonly record: RecordSeen;
  /** What the caller pays: the usage of one of the targets, what was produced until then, or nothing. */
  readonly charge: Which | "produced" | "nothing" | "a wrong amount";
  /** Of the first target, once all is over. */
  readonly health: HealthSeen;
}

export interface RecordSeen {
  readonly status: string;
  readonly statusCode: number;
  readonly error: string | null;
  readonly billing: string;
  readonly attempts: number;
  /** The target whose answer it is; null where no model answered. */
  readonly answeredBy: Which | null;
}

export interface HealthSeen {
  readonly state: string;
  readonly inFlight: number;
  /** 0 where nothing is known. */
  readonly errorRate: number;
}
