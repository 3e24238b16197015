import type { Exchange, ProviderError, WholeAnswer } from "../../dialects/exchange.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { ResponseHeaders } from "../../upstream/http/exchange.ts";

/** Longer waits than a day are no waits. */
const maxWaitMs = 86_400_000;

/** The fault that an answer with an error status is. @param now milliseconds since 1970 */
export function readErrorAnswer(
  { status, headers }: { readonly status: number; readonly headers: ResponseHeaders },
  pieces: readonly Uint8Array[],
  exchange: Pick<Exchange, "readError" | "readStatus">,
  now: number,
): UpstreamFault {
  let providerError: ProviderError | null = null;
  const page = new TextDecoder().decode(Buffer.concat(pieces));
  try {
    providerError = exchange.readError(JSON.parse(page), status);
  } catch {
    // Only the status of an error page that is not JSON is used.
    providerError = exchange.readStatus?.(status) ?? null;
  }
  const wait = readRetryAfter(headers, now) ?? inMilliseconds(providerError?.retryAfterSeconds);
  return new UpstreamFault("status", `The provider answered with HTTP ${status}.`, {
    status: actualStatus(status, providerError),
    providerError,
    excerpt: providerError?.message ? null : excerptOf(page),
    retryAfterMs: wait === null ? null : Math.min(wait, maxWaitMs),
  });
}

/** The answer that a page with an error status is all the same; null if it is an error. */
export function readAnswerToError(
  status: number,
  pieces: readonly Uint8Array[],
  exchange: Pick<Exchange, "wholeOfError">,
): WholeAnswer | null {
  if (!exchange.wholeOfError) return null;
  return exchange.wholeOfError(parsed(new TextDecoder().decode(Buffer.concat(pieces))), status);
}

/** The JSON of a page; null if it is none. */
function parsed(page: string): unknown {
  try {
    return JSON.parse(page);
  } catch {
    return null;
  }
}

/** Characters of a page that are looked at for its words. */
const maxPage = 8_192;

/** The words of a page, without its tags; null if there are none. */
function excerptOf(page: string): string | null {
  const words = page
    .slice(0, maxPage)
    .replace(/<(script|style)\b[^<]*/gi, " ")
    .replace(/<[^<>]*>/g, " ")
    .trim();
  return words === "" ? null : words;
}

/**
 * The status that shows the cause. Google answers a bad key with 400 and OpenAI a used-up account with 429: in each
 * case the gateway's own account is at fault, and not the caller's. The dialect decides, since messages quote callers.
 */
function actualStatus(status: number, error: ProviderError | null): number {
  if (error?.meantStatus !== undefined) return error.meantStatus;
  if (error?.badCredential === true) return 401;
  return status >= 400 && status <= 499 && error?.isOutOfCredit === true ? 402 : status;
}

function inMilliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : Math.ceil(seconds * 1000);
}

/** `retry-after-ms`, or `retry-after` in either of its forms, in milliseconds; null if neither is usable. */
export function readRetryAfter(headers: ResponseHeaders, now: number): number | null {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return Math.min(Math.ceil(milliseconds), maxWaitMs);
  const text = headers.get("retry-after");
  if (text === null) return null;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(wait) && wait >= 0 ? Math.min(Math.ceil(wait), maxWaitMs) : null;
}
