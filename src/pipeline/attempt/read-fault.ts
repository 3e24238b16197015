import type { Exchange, ProviderError } from "../../dialects/exchange.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { UpstreamCall } from "../../upstream/send.ts";

/** An error page beyond this is not read. */
const maxErrorBytes = 1 << 20;

/** Reads what a provider says with an error status. */
export async function readFault(call: UpstreamCall, exchange: Exchange, now: number): Promise<UpstreamFault> {
  let providerError: ProviderError | null = null;
  try {
    providerError = exchange.readError(JSON.parse(new TextDecoder().decode(await call.readWhole(maxErrorBytes))));
  } catch {
    // An error page that is not JSON, too large or cut says no more than its status does.
  }
  const wait = readRetryAfter(call.headers, now) ?? inMilliseconds(providerError?.retryAfterSeconds);
  return new UpstreamFault("status", `The provider answered with HTTP ${call.status}.`, {
    status: meantStatus(call.status, providerError),
    providerError,
    retryAfterMs: wait === null ? null : Math.min(wait, maxWaitMs),
  });
}

/** Longer waits than a day are no waits. */
const maxWaitMs = 86_400_000;

/** OpenAI's words for an account that has nothing left. */
const usedUp = new Set(["insufficient_quota", "billing_hard_limit_reached", "credit_balance_exhausted"]);

/**
 * The status that says what is meant. Google says of a bad key that the request is (400), OpenAI of a used-up account that
 * there were too many requests (429), and Anthropic that the request is (400): it is the gateway's account in each case,
 * and no fault of the caller's.
 */
function meantStatus(status: number, said: ProviderError | null): number {
  if (said?.badCredential === true) return 401;
  if (status < 400 || status > 499 || said === null) return status;
  const isUsedUp =
    usedUp.has(said.code ?? "") || usedUp.has(said.type ?? "") || /credit balance/i.test(said.message ?? "");
  return isUsedUp ? 402 : status;
}

function inMilliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : Math.ceil(seconds * 1000);
}

/** `retry-after-ms`, or `retry-after` in either of its forms, in milliseconds; null where neither is usable. */
export function readRetryAfter(headers: Headers, now: number): number | null {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return Math.min(Math.ceil(milliseconds), maxWaitMs);
  const text = headers.get("retry-after");
  if (text === null) return null;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(wait) && wait >= 0 ? Math.min(Math.ceil(wait), maxWaitMs) : null;
}
