import type { KeyLimits } from "./key.ts";
import { bookedAt, type SlidingWindow, waitUntilEmpty } from "./sliding-window.ts";

export type RateLimitHeaders = Readonly<Record<string, string>>;

/** The usage of a key in the current window. */
interface UsedInWindow {
  readonly requests: SlidingWindow;
  readonly tokens: SlidingWindow;
}

/**
 * Creates the `x-ratelimit-*` headers in OpenAI's format, for the limits that the key has. `reset` is the time until the
 * whole limit is available again.
 * @param used absent if nothing has been used
 */
export function rateLimitHeaders(limits: KeyLimits, used: UsedInWindow | undefined, now: number): RateLimitHeaders {
  const headers: Record<string, string> = {};
  if (limits.requestsPerMinute !== null) {
    addHeaders(headers, "requests", limits.requestsPerMinute, used?.requests, now);
  }
  if (limits.tokensPerMinute !== null) addHeaders(headers, "tokens", limits.tokensPerMinute, used?.tokens, now);
  return headers;
}

/** Formats a duration in OpenAI's format: `120ms`, `1s`, `8.64s`, `1m0s`. */
export function formatReset(milliseconds: number): string {
  const whole = Math.ceil(milliseconds);
  if (whole < 1_000) return `${whole}ms`;
  if (whole < 60_000) return `${whole / 1_000}s`;
  const seconds = Math.ceil(whole / 1_000);
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function addHeaders(
  headers: Record<string, string>,
  unit: string,
  limit: number,
  window: SlidingWindow | undefined,
  now: number,
): void {
  const used = window === undefined ? 0 : bookedAt(window, now);
  headers[`x-ratelimit-limit-${unit}`] = String(limit);
  headers[`x-ratelimit-remaining-${unit}`] = String(Math.max(0, limit - used));
  headers[`x-ratelimit-reset-${unit}`] = formatReset(window === undefined ? 0 : waitUntilEmpty(window, now));
}
