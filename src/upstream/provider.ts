import type { TlsOptions } from "./http/exchange.ts";
import type { DialectName } from "../dialects/exchange.ts";

/** How long each part of a call may take, in milliseconds. */
export interface Timeouts {
  /** Until the connection is established. */
  readonly connectMs: number;
  /** From sending the request to the first byte of the answer's body, or its first event. */
  readonly firstByteMs: number;
  /** Between two chunks of an answer. */
  readonly idleMs: number;
  /** The whole call. */
  readonly totalMs: number;
}

/** A vendor account that Tollgate may call. */
export interface Provider {
  readonly id: string;
  /** The dialects that it speaks, at least one. A request is sent in the one closest to its caller's. */
  readonly dialects: readonly DialectName[];
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Certificates of its own, PEM, if the system's are not enough. */
  readonly tls?: TlsOptions;
  /** Used in turn. Empty if the provider wants none (a local server). */
  readonly apiKeys: readonly string[];
  /** Its webhooks; absent: none are taken. */
  readonly webhook?: ProviderWebhooks;
  /** Sent with every call, beside the credential. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  /** Calls at once; null: no limit. */
  readonly maxInFlight: number | null;
  readonly circuit: CircuitRules;
  /** How a call ends if its caller disconnects in the middle of a stream: it is read on for its usage, or cancelled. */
  readonly onCallerAbort: "cancel" | "drain";
}

/** Webhooks by which a provider tells of the end of its jobs. */
export interface ProviderWebhooks {
  /** What they are signed with, or the public keys that tell. Secret: do not log. */
  readonly secret: string;
  /** Where they are sent; null if the gateway's public address is not known, and the provider is told of none. */
  readonly url: string | null;
}

/** When a target is no longer asked, and for how long. */
export interface CircuitRules {
  /** Failures in a row. */
  readonly failures: number;
  readonly openMs: number;
  /** Failed share of the last minute's calls, of which there must be at least `minCalls`; above 1: never. */
  readonly failureRate: number;
  readonly minCalls: number;
}

/** The providers of the moment: operators change some while the gateway runs. */
export interface Providers {
  readonly all: readonly Provider[];
  /** Null if there is none. */
  find(id: string): Provider | null;
}
