import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Provider } from "../upstream/provider.ts";
import type { CircuitState } from "./circuit.ts";
import { createProviderHealth, type ProviderHealth } from "./provider-health.ts";
import { createTargetHealth, type TargetHealth } from "./target-health.ts";

/** The health of every target that this gateway knows. */
export interface Health {
  /** Of one provider's model: models that share a target share its health. */
  of(provider: Provider, model: string): TargetHealth;
}

/** Targets known at once: callers of a pattern such as `openai/*` choose names, so the oldest are forgotten beyond it. */
const mostTargets = 20_000;

export function createHealth({ clock, log }: { readonly clock: Clock; readonly log: Log }): Health {
  const providers = new Map<Provider, ProviderHealth>();
  const targets = new Map<string, TargetHealth>();

  const sharedBy = (provider: Provider): ProviderHealth => {
    const known = providers.get(provider);
    if (known) return known;
    const shared = createProviderHealth(provider);
    providers.set(provider, shared);
    return shared;
  };
  const onChange = (label: string, state: CircuitState, openUntil: number | null) => {
    const fields = {
      target: label,
      circuit: state,
      ...(openUntil === null ? {} : { open_until: new Date(openUntil).toISOString() }),
    };
    if (state === "open") log.warn(fields, `circuit open: ${label} is not asked for a while`);
    else if (state === "half_open") log.info(fields, `circuit half open: ${label} is tried`);
    else log.info(fields, `circuit closed: ${label} answers again`);
  };

  return {
    of(provider, model) {
      const key = `${provider.id}\n${model}`;
      const known = targets.get(key);
      if (known) return known;
      const [oldest] = targets.keys();
      if (targets.size >= mostTargets && oldest !== undefined) targets.delete(oldest);
      const health = createTargetHealth({ provider, model, shared: sharedBy(provider), clock, onChange });
      targets.set(key, health);
      return health;
    },
  };
}
