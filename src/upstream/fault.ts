import type { ProviderError } from "../dialects/exchange.ts";

/** The fault of a call to a provider, in the classes that routing and the caller's error depend on. */
export type FaultKind =
  /** The provider answered with an error status. */
  | "status"
  /** No connection, or one that broke before an answer. */
  | "unreachable"
  | "connect_timeout"
  | "first_byte_timeout"
  | "idle_timeout"
  | "total_timeout"
  /** The answer does not follow the dialect. */
  | "invalid_response"
  /** The answer follows the dialect, but what the model wrote in it has no place in the caller's. */
  | "unusable_output"
  /** The answer reported a failure, with a good status or after its start. */
  | "reported_error"
  /** The answer broke off. */
  | "cut"
  /**
   * The caller took nothing of the answer for as long as the whole call may take, or has left, and the rest was not there
   * in time: not the provider's fault.
   */
  | "reader_stalled";

/** One failed call. Its message is for the operator's log; callers get that of `callerError`. */
export class UpstreamFault extends Error {
  override readonly name = "UpstreamFault";
  readonly kind: FaultKind;
  /** The provider's HTTP status, null if there was none. */
  readonly status: number | null;
  readonly providerError: ProviderError | null;
  /** The beginning of an error page that is in no form of the dialect, for the operator; null if there is none. */
  readonly excerpt: string | null;
  /** The system's or the protocol's code for what broke; null if there is none. */
  readonly code: string | null;
  /** The wait that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: FaultKind,
    message: string,
    details: {
      readonly status?: number;
      readonly providerError?: ProviderError | null;
      readonly retryAfterMs?: number | null;
      readonly code?: string | null;
      readonly excerpt?: string | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status ?? null;
    this.code = details.code ?? null;
    this.excerpt = details.excerpt ?? null;
    this.providerError = details.providerError ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}

const callerFaults: ReadonlySet<number> = new Set([400, 413, 422]);

/** Whether the request itself is at fault, so that no other target would take it either. */
export function isCallerFault(fault: Pick<UpstreamFault, "kind" | "status">): boolean {
  return fault.kind === "status" && fault.status !== null && callerFaults.has(fault.status);
}
