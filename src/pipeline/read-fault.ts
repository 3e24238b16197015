import type { Exchange, ProviderError } from "../dialects/exchange.ts";
import { UpstreamFault } from "../upstream/fault.ts";
import type { UpstreamCall } from "../upstream/send.ts";

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
  // Google says of a bad key that the request is: it is the gateway's key, and no fault of the caller's.
  const status = providerError?.badCredential === true ? 401 : call.status;
  const wait = readRetryAfter(call.headers, now) ?? providerError?.retryAfterSeconds ?? null;
  return new UpstreamFault("status", `The provider answered with HTTP ${call.status}.`, {
    status,
    providerError,
    retryAfterSeconds: wait === null ? null : Math.min(Math.ceil(wait), maxWaitSeconds),
  });
}

/** Longer waits than a day are no waits. */
const maxWaitSeconds = 86_400;

/** `retry-after-ms`, or `retry-after` in either of its forms, in whole seconds rounded up; null where neither is usable. */
export function readRetryAfter(headers: Headers, now: number): number | null {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const text = headers.get("retry-after");
  const seconds = Number.isFinite(milliseconds)
    ? milliseconds / 1000
    : text === null
      ? Number.NaN
      : /^\s*\d+(\.\d+)?\s*$/.test(text)
        ? Number(text)
        : (Date.parse(text) - now) / 1000;
  if (!Number.isFinite(seconds) || seconds < 0) return null;
  return Math.min(Math.ceil(seconds), maxWaitSeconds);
}
