import { GatewayError, invalidParameter } from "../errors.ts";
import type { Journey } from "./journey.ts";
import type { Services } from "./services.ts";

const header = "X-Request-Timeout-Ms";
const greatestMs = 86_400_000;

/**
 * Bounds the whole request, from its arrival, by the time its caller gives it in `X-Request-Timeout-Ms`: when it has
 * passed, `journey.cancelled` is aborted with the caller's error. That is no fault of a provider's, and so no
 * `UpstreamFault`. Gives that signal, or null where there is no such header and nothing has changed.
 * @throws 400 where the header is no whole number within its bounds
 */
export function watchCallerDeadline({ deadlines }: Services, journey: Journey, headers: Headers): AbortSignal | null {
  const value = headers.get(header);
  if (value === null) return null;
  const timeoutMs = readTimeout(value);
  const controller = new AbortController();
  const { callerLeft } = journey;
  const onLeft = () => controller.abort(callerLeft.reason);
  if (callerLeft.aborted) onLeft();
  else callerLeft.addEventListener("abort", onLeft, { once: true });

  const deadline = deadlines.watch(journey.startedAt + timeoutMs, () => controller.abort(deadlinePassed(timeoutMs)));
  journey.cancelled = controller.signal;
  journey.deadlineAt = deadline.at;
  journey.forgetDeadline = () => {
    deadlines.unwatch(deadline);
    callerLeft.removeEventListener("abort", onLeft);
  };
  return controller.signal;
}

function readTimeout(value: string): number {
  const milliseconds = /^\d{1,8}$/.test(value) ? Number(value) : 0;
  if (milliseconds >= 1 && milliseconds <= greatestMs) return milliseconds;
  throw invalidParameter(header, `a whole number of milliseconds from 1 to ${greatestMs}`);
}

function deadlinePassed(timeoutMs: number): GatewayError {
  const message = `The deadline that the caller itself set has passed: ${timeoutMs} ms, by ${header}.`;
  return new GatewayError("upstream_timeout", message, { code: "total_timeout" });
}
