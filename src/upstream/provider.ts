import type { DialectName } from "../dialects/exchange.ts";

/** How long each part of a call may take, in milliseconds. */
export interface Timeouts {
  /** Until the connection stands. */
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
  /** What it speaks: one at least. A request goes in the one closest to its caller's. */
  readonly dialects: readonly DialectName[];
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Null where the provider wants none (a local server). */
  readonly apiKey: string | null;
  /** Sent with every call, beside the credential. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
}
