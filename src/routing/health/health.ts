import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { CircuitState } from "./circuit.ts";
import { createProviderHealth, type ProviderHealth } from "./provider-health.ts";
import { createTargetHealth, type TargetHealth } from "./target-health.ts";

/** The health of every target that this gateway knows. Models that share a target share its health. */
export interface Health {
  /** Of a target that the configuration names. */
  of(provider: Provider, model: string): TargetHealth;
  /** Of one whose name a caller has chosen, below a pattern such as `openai/*`. */
  ofDerived(provider: Provider, model: string): TargetHealth;
}

/** Derived targets known at once, more than there are derived models: beyond it the oldest are forgotten. */
const mostDerived = 20_000;

export function createHealth({ clock, log }: { readonly clock: Clock; readonly log: Log }): Health {
  const providers = new Map<Provider, ProviderHealth>();
  const configured = new Map<string, TargetHealth>();
  const derived = new Map<string, TargetHealth>();

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
    else log.info(fields, `circuit closed: ${label} is asked again`);
  };

  const create = (provider: Provider, model: string) =>
    createTargetHealth({ provider, model, shared: sharedBy(provider), clock, onChange });

  return {
    of(provider, model) {
      const key = keyOf(provider, model);
      const health = configured.get(key) ?? create(provider, model);
      configured.set(key, health);
      return health;
    },
    ofDerived(provider, model) {
      const key = keyOf(provider, model);
      const known = configured.get(key) ?? derived.get(key);
      if (known) return known;
      const [oldest] = derived.keys();
      if (derived.size >= mostDerived && oldest !== undefined) derived.delete(oldest);
      const health = create(provider, model);
      derived.set(key, health);
      return health;
    },
  };
}

function keyOf(provider: Provider, model: string): string {
  return `${provider.id}\n${model}`;
}
