import { type GatewayError, rateLimitExceeded, toGatewayError } from "../errors.ts";
import type { End, Progress } from "./finished-request.ts";
import { errorAnswer } from "./respond.ts";
import type { Services } from "./services.ts";
import { keepsRecord, settle } from "./settle.ts";

/** nginx's status for "the caller closed the connection before there was an answer". Nobody receives it. */
const callerLeftStatus = 499;

const noAnswer = { observation: null, model: null, answeredBy: null, firstByteAt: null, whole: null } as const;

/**
 * Answers a request that failed before its first byte, and settles it: `refused` if no provider was called, `failed` if one
 * was, `cancelled` if the caller left. No record is kept if the key is bad or a rate limit was reached.
 */
export async function refuse(services: Services, progress: Progress, thrown: unknown): Promise<Response> {
  const { context, attempts } = progress;
  const error = toGatewayError(thrown);
  let end: End;
  if (context.hasCallerLeft()) end = { ...noAnswer, status: "cancelled", statusCode: callerLeftStatus, error: null };
  else if (attempts.length > 0) end = { ...noAnswer, status: "failed", statusCode: error.status, error };
  else end = limited(services, progress, error);
  await settle(services, { ...progress, ...end }).catch(() => {
    // The log has said that a record is missing; the caller is told the error that came first.
  });
  return errorAnswer(services, progress, end.error ?? error);
}

/** The end of a request for which no provider was called: with its own error, or a 429 if its key has had too many. */
function limited(services: Services, { identity }: Progress, error: GatewayError): End {
  const end = { ...noAnswer, status: "refused", statusCode: error.status, error } as const;
  // A fault of the gateway's own is not the caller's to wait for.
  if (identity === null || error.status >= 500 || !keepsRecord(end)) return end;
  const { refusals, log } = services;
  const excess = refusals.count(identity.key.id);
  if (excess === null) return end;
  const { perMinute } = refusals;
  if (excess.isFirst) {
    const fields = { key_id: identity.key.id, max_refused_per_minute: perMinute, code: error.code };
    log.warn(fields, "a key is refused too often: further refusals are neither recorded nor logged");
  }
  // Waiting would not help: the caller is told the reason still.
  if (error.type === "insufficient_balance") return { ...end, isUnlogged: true };
  const { waitSeconds } = excess;
  const message =
    `Rate limit of this API key reached: ${perMinute} refused request${perMinute === 1 ? "" : "s"} per minute. ` +
    `Retry in ${waitSeconds} second${waitSeconds === 1 ? "" : "s"}. This request was refused because: ${error.message}`;
  const beyond = rateLimitExceeded("requests_per_minute", message, waitSeconds);
  return { ...end, statusCode: beyond.status, error: beyond, isUnlogged: true };
}
