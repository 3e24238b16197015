import { invalidRequest, overloaded, permissionError, type GatewayError } from "../errors.ts";
import type { Plan } from "../routing/choice/plan.ts";
import type { TargetHealth } from "../routing/health/target-health.ts";

/** Reasons listed beyond this many would hide the first ones. */
const maxReasons = 10;

/**
 * What a caller is told where no model behind a name can take its request: the one model's own error, a 403 where its key
 * may use none of them, else a 400 that names what keeps each of them out.
 */
export function noCandidate({ destination, excluded }: Plan): GatewayError {
  if (destination.backends) return noBackend(destination, excluded);
  const [first] = excluded;
  if (first && !destination.isPolicy) return first.error;
  const { id } = destination;
  const unfit = excluded.filter(({ error }) => error.type !== "permission_error");
  const [firstUnfit] = unfit;
  if (!firstUnfit) {
    return permissionError(
      "model_not_allowed",
      `This API key may use neither '${id}' nor any model behind it.`,
      "model",
    );
  }
  const { code, param } = firstUnfit.error;
  const alike = unfit.every(({ error }) => error.code === code);
  const reasons = unfit.slice(0, maxReasons).map(({ model, reason }) => `${model}: ${reason}`);
  const more = unfit.length > maxReasons ? `; and ${unfit.length - maxReasons} more` : "";
  const message = `No model behind '${id}' can take this request (${reasons.join("; ")}${more}).`;
  return alike ? firstUnfit.error.inOtherWords(message) : invalidRequest("unsupported_parameter", message, param);
}

/** 503: no search backend behind the name can take the request. */
function noBackend({ id, members }: Plan["destination"], excluded: Plan["excluded"]): GatewayError {
  const reasons = excluded.slice(0, maxReasons).map(({ model, reason }) => `${model}: ${reason}`);
  const why = members.length === 0 ? "none is configured" : reasons.join("; ");
  return overloaded("no_target_available", `No search backend of '${id}' can take this request (${why}).`, 60);
}

/** 503: there are models that could, and none of their providers is to be asked now. */
export function noneAvailable({ destination, candidates }: Plan, now: number): GatewayError {
  const moments = candidates.map(({ target }) => restsUntil(target.health));
  const wait = Math.max(1, Math.ceil((Math.min(...moments) - now) / 1000));
  const states = [...new Set(candidates.map(({ model, target }) => `${model.id}: ${stateOf(target.health, now)}`))];
  const why = states.slice(0, maxReasons).join("; ");
  const message = `No provider of '${destination.id}' can take this request at the moment (${why}). Retry in ${wait} seconds.`;
  return overloaded("no_target_available", message, wait);
}

/** Milliseconds since 1970; long ago if it is not paused. */
function restsUntil({ circuit, credentialAt }: TargetHealth): number {
  return Math.max(circuit.openUntil ?? 0, credentialAt());
}

function stateOf(health: TargetHealth, now: number): string {
  const isResting = health.circuit.state !== "closed" || restsUntil(health) > now;
  return isResting ? "resting after failures" : "busy";
}
