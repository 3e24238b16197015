export type Which = "first" | "second";

/** The external observations of one request: by its caller, its providers and the operator. */
export interface Observation {
  /** HTTP status; null if the caller disconnected before it. */
  readonly status: number | null;
  /** `type code` of the error in the body or in the stream. */
  readonly error: string | null;
  /** `whole`: the complete answer of a target. `broken off`: a part of it, then an error event. */
  readonly ending: "whole" | "error" | "broken off" | "left" | "not as it should be";
  /** The target whose text the caller received. */
  readonly heard: Which | null;
  /** Seconds. */
  readonly retryAfter: number | null;
  /** `X-Service-Attempts`; null if the caller disconnected before the headers. */
  readonly attemptsHeader: number | null;
  /** Requests that the first target received; null if they cannot be counted. */
  readonly firstCalls: number | null;
  readonly secondCalls: number;
  /** Whether the provider was slowed down to the speed of the reader. */
  readonly slowed: boolean;
  readonly record: RecordSeen;
  /** The charge: the usage of one of the targets, the output so far, or nothing. */
  readonly charge: Which | "produced" | "nothing" | "a wrong amount";
  /** The state of the first target afterwards. */
  readonly health: HealthSeen;
}

export interface RecordSeen {
  readonly status: string;
  readonly statusCode: number;
  readonly error: string | null;
  readonly billing: string;
  readonly attempts: number;
  /** The target that answered; null if none did. */
  readonly answeredBy: Which | null;
}

export interface HealthSeen {
  readonly state: string;
  readonly inFlight: number;
  /** 0 if unknown. */
  readonly errorRate: number;
}
