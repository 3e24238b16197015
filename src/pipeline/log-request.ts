import type { Charge } from "../billing/prices.ts";
import type { Usage } from "../metering/usage.ts";
import type { FinishedRequest } from "./finished-request.ts";
import type { Services } from "./services.ts";

/** Writes the one log line of a request. No secret and no word of the conversation is in it. */
export function logRequest(
  { log, steady }: Pick<Services, "log" | "steady">,
  finished: FinishedRequest,
  usage: Usage,
  billing: Charge,
): void {
  const { context, parsed, attempts, error, model, answeredBy } = finished;
  const last = answeredBy ?? attempts.at(-1);
  const fields: Record<string, unknown> = {
    request_id: context.id,
    key_id: finished.identity?.key.id ?? null,
    endpoint: context.path,
    model: parsed?.model ?? "",
    resolved_model: model?.id ?? null,
    provider: last?.candidate.target.provider.id ?? null,
    status: finished.status,
    status_code: finished.statusCode,
    stream: parsed?.stream ?? false,
    attempts: attempts.length,
    latency_ms: Math.round(steady.now() - context.startedTick),
  };
  for (const { name, unit, quantity } of usage.dimensions) fields[`${name}_${unit}s`] = quantity;
  fields.amount_microusd = billing.amountMicrousd;
  if (error) {
    fields.error_type = error.type;
    fields.error_code = error.code;
  }
  const cause = error?.cause;
  if (error?.type === "server_error" && cause instanceof Error) {
    log.error({ ...fields, stack: cause.stack }, "request failed in the gateway");
  } else log.info(fields, "request");
}
