import type { Charge } from "../billing/prices.ts";
import type { Usage } from "../metering/usage.ts";
import type { Journey } from "./journey.ts";
import type { Outcome } from "./outcome.ts";
import type { Services } from "./services.ts";

/** Writes the one log line of a request. No secret and no word of the conversation is in it. */
export function logRequest(
  services: Services,
  journey: Journey,
  outcome: Outcome,
  usage: Usage | null,
  billing: Charge | null,
): void {
  const fields: Record<string, unknown> = {
    request_id: journey.id,
    key_id: journey.identity?.key.id ?? null,
    endpoint: journey.path,
    model: journey.askedModel,
    resolved_model: journey.model?.id ?? null,
    provider: journey.target?.provider.id ?? null,
    status: outcome.status,
    status_code: outcome.statusCode,
    stream: journey.stream,
    attempts: journey.attempts.length,
    latency_ms: services.clock.now() - journey.startedAt,
  };
  for (const dimension of usage?.dimensions ?? []) fields[`${dimension.name}_${dimension.unit}s`] = dimension.quantity;
  if (billing) fields.amount_microusd = billing.amountMicrousd;
  if (outcome.error) {
    fields.error_type = outcome.error.type;
    fields.error_code = outcome.error.code;
  }
  const cause = outcome.error?.cause;
  if (outcome.error?.type === "server_error" && cause instanceof Error) {
    services.log.error({ ...fields, stack: cause.stack }, "request failed in the gateway");
  } else services.log.info(fields, "request");
}
