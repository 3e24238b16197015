import type { RequestHeaders } from "../http/headers.ts";
import { GatewayError, invalidParameter } from "../errors.ts";
import type { RequestContext } from "./request-context.ts";
import type { Services } from "./services.ts";

const header = "X-Request-Timeout-Ms";
const maxMs = 86_400_000;

/** The caller's own deadline, from its header. */
export interface CallerDeadline {
  /** Milliseconds of the steady clock. */
  readonly at: number;
  end(): void;
}

/**
 * Bounds the whole request, from its arrival, by the time its caller gives it in `X-Request-Timeout-Ms`: when it has
 * passed, the request is cancelled with the caller's error. Null if there is no such header.
 * @throws 400 if the header is no whole number within its bounds
 */
export function watchCallerDeadline(
  { deadlines }: Pick<Services, "deadlines">,
  context: RequestContext,
  headers: RequestHeaders,
): CallerDeadline | null {
  const value = headers.get(header);
  if (value === null) return null;
  const timeoutMs = readTimeout(value);
  const at = context.startedTick + timeoutMs;
  const deadline = deadlines.watch(at, () => context.cancel(deadlinePassed(timeoutMs)));
  return { at, end: () => deadlines.unwatch(deadline) };
}

function readTimeout(value: string): number {
  const milliseconds = /^\d{1,8}$/.test(value) ? Number(value) : 0;
  if (milliseconds >= 1 && milliseconds <= maxMs) return milliseconds;
  throw invalidParameter(header, `a whole number of milliseconds from 1 to ${maxMs}`);
}

function deadlinePassed(timeoutMs: number): GatewayError {
  const message = `The caller's own deadline of ${timeoutMs} ms (${header}) has passed.`;
  return GatewayError.of("total_timeout", message);
}
