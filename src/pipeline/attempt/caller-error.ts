import type { ProviderError } from "../../dialects/exchange.ts";
import { GatewayError, overloaded, rateLimitExceeded } from "../../errors.ts";
import { isCallerFault, type FaultKind, type UpstreamFault } from "../../upstream/fault.ts";
import type { Provider } from "../../upstream/provider.ts";
import { classOf, isTooLong } from "../../routing/health/fault-class.ts";
import type { Failure } from "../../routing/choice/retry-schedule.ts";
import { redact } from "../../upstream/redact.ts";

/** The error a caller sees when every attempt has failed: the request's own fault, the class they share, or that all failed. */
export function callerError(failures: readonly Failure[]): GatewayError {
  // One that says what is wrong with the request itself; who is asked at the same time may fail otherwise.
  const telling = failures.find(({ fault }) => classOf(fault) === "caller") ?? failures.at(-1);
  if (telling && isCallerFault(telling.fault)) return callerErrorOf(telling.fault, telling.candidate.target.provider);
  const errors = failures.map(({ fault, candidate }) => callerErrorOf(fault, candidate.target.provider));
  const first = errors[0];
  if (!first) return overloaded("no_target_available", "No provider can take this request at the moment.", 1);
  const soonest = errors.reduce((best, error) => (waitOf(error) < waitOf(best) ? error : best));
  if (errors.every((error) => error.type === first.type && error.code === first.code)) return soonest;
  const wait = Math.max(...errors.map(waitOf)) === Infinity ? null : soonest.retryAfterSeconds;
  if (wait !== null) {
    return overloaded("no_target_available", `All providers are overloaded. Retry in ${secondsOf(wait)}.`, wait);
  }
  return GatewayError.of("all_targets_failed", "All providers failed with different errors.");
}

function waitOf({ retryAfterSeconds }: GatewayError): number {
  return retryAfterSeconds ?? Infinity;
}

function secondsOf(count: number): string {
  return `${count} second${count === 1 ? "" : "s"}`;
}

/** If nothing better is known, a caller is asked to come back after this many seconds. */
const defaultRetryAfter = 1;

/** The error a caller sees for one fault. */
export function callerErrorOf(fault: UpstreamFault, provider: Provider): GatewayError {
  if (isCallerFault(fault)) return callerFaultError(fault, provider);
  switch (fault.kind) {
    case "status":
      return errorOfStatus(fault);
    case "connect_timeout":
    case "first_byte_timeout":
    case "idle_timeout":
    case "total_timeout":
      return timeoutError(fault.kind);
    case "unreachable":
      return GatewayError.of("upstream_unreachable", "The provider could not be reached.", { cause: fault });
    case "invalid_response":
    case "unusable_output":
    case "cut":
      return GatewayError.of("upstream_invalid_response", "The provider's answer was incomplete or not valid.", {
        cause: fault,
      });
    case "reader_stalled":
      return GatewayError.of("total_timeout", "The answer was not read in time.");
    case "reported_error":
      return GatewayError.of("upstream_error", reportedMessage(fault.providerError, provider), { cause: fault });
  }
}

function errorOfStatus(fault: UpstreamFault): GatewayError {
  const { status } = fault;
  if (status === 429 || status === 503 || status === 529) {
    const wait = fault.retryAfterMs === null ? defaultRetryAfter : Math.ceil(fault.retryAfterMs / 1000);
    const retry = `Retry in ${secondsOf(wait)}.`;
    if (status !== 429) return overloaded("no_target_available", `The provider is overloaded. ${retry}`, wait);
    return rateLimitExceeded("provider_rate_limit", `The provider's rate limit is reached. ${retry}`, wait);
  }
  if (status === 408 || status === 504) return timeoutError("first_byte_timeout");
  return GatewayError.of("upstream_error", `The provider failed (HTTP ${status}).`, { cause: fault });
}

function timeoutError(kind: Extract<FaultKind, `${string}_timeout`>): GatewayError {
  const messages = {
    connect_timeout: "The provider did not accept a connection in time.",
    first_byte_timeout: "The provider did not begin to answer in time.",
    idle_timeout: "The provider stopped in the middle of its answer.",
    total_timeout: "The provider did not finish its answer in time.",
  };
  return GatewayError.of(kind, messages[kind]);
}

/** The provider rejects the request itself: its message is kept, since it names the field. */
function callerFaultError(fault: UpstreamFault, provider: Provider): GatewayError {
  const said = fault.providerError;
  const message = said?.message ?? "The provider refused this request as invalid.";
  return GatewayError.ofProvider(
    { status: fault.status ?? 400, code: codeOf(fault, provider) },
    redact(message, provider),
    cleanWord(said?.param, provider),
  );
}

/** The provider's own code, if it is one: not every vendor has one for a request that is too long, and Gemini's is the status. */
function codeOf(fault: UpstreamFault, provider: Provider): string | null {
  if (isTooLong(fault)) return "context_length_exceeded";
  const code = cleanWord(fault.providerError?.code, provider);
  return code === String(fault.status) ? null : code;
}

function reportedMessage(said: ProviderError | null, provider: Provider): string {
  return said?.message ? `The provider failed: ${redact(said.message, provider)}` : "The provider failed.";
}

function cleanWord(word: string | null | undefined, provider: Provider): string | null {
  return word ? redact(word, provider) : null;
}
