import type { RequestWay, WayBackend } from "../operations/request-way.ts";
import type { Model } from "../routing/names/model.ts";
import type { FinishedRequest } from "./finished-request.ts";
import type { Services } from "./services.ts";

/** How a request was served so far; null if no backend was looked for. */
export function wayOf(
  { hideProvider }: Pick<Services, "hideProvider">,
  {
    context,
    plan,
    attempts,
  }: Pick<FinishedRequest, "plan" | "attempts"> & { readonly context: { readonly id: string } },
): RequestWay | null {
  if (plan === null) return null;
  const { destination } = plan;
  const candidates = plan.candidates.map(({ model }) => model.id);
  return {
    requestId: context.id,
    isExplicit: destination.backends?.isExplicit === true,
    named: destination.backends?.named?.id ?? null,
    backends: destination.members.map(({ model }) => {
      const state = candidates.includes(model.id) ? stateOf(model) : "excluded";
      return { id: model.id, settings: model.search ?? null, state };
    }),
    candidates,
    attempts: attempts.map(({ candidate, fault, hasAnswered, latencyMs }) => {
      return { id: candidate.model.id, fault, hasAnswered, latencyMs };
    }),
    hideProvider,
  };
}

function stateOf({ targets }: Model): WayBackend["state"] {
  const [target] = targets;
  if (!target) return "excluded";
  const { circuit, provider } = target.health;
  if (!circuit.admits() || target.health.pickCredential([]) < 0) return "unhealthy";
  return provider.limiter.isFull ? "full" : "able";
}
