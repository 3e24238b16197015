import type { Charge } from "../billing/prices/prices.ts";
import { requestFields, type RequestLine } from "../log-request-line.ts";
import type { Usage } from "../metering/usage.ts";
import type { FinishedRequest } from "./finished-request.ts";
import type { Attempt } from "./attempt/attempt.ts";
import { wordsOf } from "./attempt/provider-words.ts";
import type { Services } from "./services.ts";

/** Writes the one log line of a request. It holds no secret and no text of the conversation. */
export function logRequest(
  { log, steady }: Pick<Services, "log" | "steady">,
  finished: FinishedRequest,
  usage: Usage,
  billing: Charge,
): void {
  const { context, parsed, attempts, error, model, answeredBy } = finished;
  const last = answeredBy ?? attempts.at(-1);
  const line = {
    requestId: context.id,
    keyId: finished.identity?.key.id ?? null,
    method: null,
    endpoint: context.path,
    model: parsed?.model ?? "",
    resolvedModel: model?.id ?? null,
    provider: last?.candidate.target.provider.id ?? null,
    status: finished.status,
    statusCode: finished.statusCode,
    stream: parsed?.stream ?? false,
    attempts: attempts.length,
    latencyMs: Math.round(steady.now() - context.startedTick),
    dimensions: usage.dimensions,
    amountMicrousd: billing.amountMicrousd,
    error,
    failure: failureOf(last, finished),
  };
  const cause = error?.cause;
  if (error?.type === "server_error" && cause instanceof Error) {
    log.error({ ...requestFields(line), stack: cause.stack }, "request failed in the gateway");
  } else log.request(line);
}

function failureOf(attempt: Attempt | undefined, { status }: FinishedRequest): RequestLine["failure"] {
  const words = status === "failed" && attempt ? wordsOf(attempt) : null;
  return words && { status: attempt?.status ?? null, ...words };
}
