import { type GatewayError, rateLimitExceeded, toGatewayError } from "../errors.ts";
import type { End, Progress } from "./finished-request.ts";
import type { Answer } from "./answer.ts";
import { failureAnswer } from "./respond.ts";
import { wayOf } from "./request-way.ts";
import type { Services } from "./services.ts";
import { keepsRecord, settle } from "./settle.ts";

/** nginx's status for "the caller closed the connection before there was an answer". Nobody receives it. */
const callerLeftStatus = 499;

const noAnswer = { observation: null, model: null, answeredBy: null, firstByteAt: null, whole: null } as const;

/**
 * Answers a request that failed before its first byte, and settles it: `refused` if no provider was called, `failed` if one
 * was, `cancelled` if the caller left. No record is kept if the key is bad or a rate limit was reached.
 */
export async function refuse(services: Services, progress: Progress, thrown: unknown): Promise<Answer> {
  const { context, attempts } = progress;
  const error = toGatewayError(thrown);
  let end: End;
  if (context.hasCallerLeft()) end = left(services, progress);
  else if (attempts.length > 0) end = { ...noAnswer, status: "failed", statusCode: error.status, error };
  else end = limited(services, progress, error);
  const way = progress.operation.names === "backends" ? wayOf(services, progress) : null;
  const receipt = way && (progress.parsed?.failureReceipt(way) ?? null);
  await settle(services, { ...progress, ...end, receipt }).catch(() => {
    // The log reports the missing record; the caller gets the first error.
  });
  return failureAnswer(services, progress, end.error ?? error);
}

/** Whether the log has a line for a request that leaves no record: a caller in a loop must not fill the disk. */
export function isLogged(
  { refusals, log }: Pick<Services, "refusals" | "log">,
  keyId: string | null,
  { code }: Pick<GatewayError, "code">,
): boolean {
  const excess = refusals.countTurnedAway(keyId);
  if (excess?.isFirst === true) {
    const message =
      keyId === null
        ? "too many requests without a good key, or to unknown paths: further ones are not logged for up to a minute"
        : "a key is beyond its limits: further refusals are not logged for up to a minute";
    log.warn({ key_id: keyId, code }, message);
  }
  return excess === null;
}

/** The end of a request whose caller has left. Before a provider was called it counts as one refused: it costs nothing. */
function left({ refusals }: Services, { identity, attempts }: Progress): End {
  const end = { ...noAnswer, status: "cancelled", statusCode: callerLeftStatus, error: null } as const;
  const isExcess = attempts.length === 0 && identity !== null && refusals.count(identity.key.id) !== null;
  return isExcess ? { ...end, isUnlogged: true } : end;
}

/** The end of a request for which no provider was called: with its own error, or a 429 if its key has had too many. */
function limited(services: Services, { identity }: Progress, error: GatewayError): End {
  const end = { ...noAnswer, status: "refused", statusCode: error.status, error } as const;
  if (error.type === "server_error") return end;
  if (identity === null || !keepsRecord(end)) {
    return isLogged(services, identity?.key.id ?? null, error) ? end : { ...end, isUnlogged: true };
  }
  // A fault of the gateway's own is not the caller's to wait for.
  if (error.status >= 500) return end;
  const { refusals, log } = services;
  const excess = refusals.count(identity.key.id);
  if (excess === null) return end;
  const { perMinute } = refusals;
  if (excess.isFirst) {
    const fields = { key_id: identity.key.id, max_refused_per_minute: perMinute, code: error.code };
    log.warn(fields, "a key is refused too often: further refusals are neither recorded nor logged");
  }
  // Anthropic's tool runners first try each conversation with a `thread`, and go on without one if it is refused.
  if (error.code === "unsupported_parameter" && error.param === "thread") return { ...end, isUnlogged: true };
  // Waiting does not help: the caller is still told the reason.
  if (error.type === "insufficient_balance") return { ...end, isUnlogged: true };
  const { waitSeconds } = excess;
  const message =
    `Rate limit of this API key reached: ${perMinute} refused request${perMinute === 1 ? "" : "s"} per minute. ` +
    `Retry in ${waitSeconds} second${waitSeconds === 1 ? "" : "s"}. This request was refused because: ${error.message}`;
  const beyond = rateLimitExceeded("requests_per_minute", message, waitSeconds);
  return { ...end, statusCode: beyond.status, error: beyond, isUnlogged: true };
}
