/**
 * The job of the load client.
 * - `closed`: each connection sends its next request when its answer is complete, until `requests` are sent or
 *   `seconds` are over, whichever comes first. Measures what a server can bear.
 * - `open`: requests are due at `rate` a second, evenly spaced, whatever the answers do. A late answer makes no later
 *   request late: latency counts from the instant a request was due (no coordinated omission).
 * - `hold`: opens `connections` streams, says so when each has had its first byte, and holds them until it is killed.
 */
export type Mode =
  | { readonly kind: "closed"; readonly seconds: number; readonly requests: number }
  | { readonly kind: "open"; readonly seconds: number; readonly rate: number }
  | { readonly kind: "hold" };

export interface Job {
  readonly mode: Mode;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many connections; in an open load the most that may be opened. */
  readonly connections: number;
}

/** Times in milliseconds. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

export interface Outcome {
  /** Complete answers with status 200. */
  readonly answered: number;
  /** Complete answers with another status. */
  readonly refused: number;
  /** Connections that ended before their answer did. */
  readonly broken: number;
  /** From first request to last answer. */
  readonly seconds: number;
  /** From the instant a request was due to the last byte of its answer. */
  readonly latency: Quantiles;
  /** From the instant a request was due to the first byte of its answer's body: of a stream, its first chunk. */
  readonly firstChunk: Quantiles;
  /** How late the client itself sent its requests: what the load tool adds to the figures above. */
  readonly sendDelay: Quantiles;
}
