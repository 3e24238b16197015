import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { CircuitState } from "./circuit.ts";
import { createProviderHealth, createTargetHealth, type ProviderHealth, type TargetHealth } from "./target-health.ts";

/**
 * The health of every target. Models that share a target share its health. A provider that has changed is another object, whose
 * targets begin anew: another address or credential has its own health.
 */
export interface Health {
  /** The health of a target of the configuration or of the storage. */
  of(provider: Provider, model: string): TargetHealth;
  /** The health of a target derived from a pattern such as `openai/*`, with a model name chosen by a caller. */
  ofDerived(provider: Provider, model: string): TargetHealth;
}

/** Maximum number of derived targets, higher than that of derived models. Beyond it the oldest are dropped. */
const maxDerived = 20_000;

export function createHealth({ clock, log }: { readonly clock: Clock; readonly log: Log }): Health {
  const providers = new WeakMap<Provider, HealthOfProvider>();
  const derived = new Map<string, TargetHealth>();
  let opened = 0;

  const ofProvider = (provider: Provider): HealthOfProvider => {
    const known = providers.get(provider);
    if (known) return known;
    const made = { serial: opened++, shared: createProviderHealth(provider), targets: new Map<string, TargetHealth>() };
    providers.set(provider, made);
    return made;
  };
  const onChange = (label: string, state: CircuitState, openUntil: number | null) => {
    const fields = {
      target: label,
      circuit: state,
      ...(openUntil === null ? {} : { open_ms: Math.round(openUntil - clock.now()) }),
    };
    if (state === "open") log.warn(fields, `Circuit open: ${label}.`);
    else if (state === "half_open") log.info(fields, `Circuit half open: ${label}.`);
    else log.info(fields, `Circuit closed: ${label}.`);
  };

  const create = (provider: Provider, model: string) =>
    createTargetHealth({ provider, model, shared: ofProvider(provider).shared, clock, onChange });

  return {
    of(provider, model) {
      const { targets } = ofProvider(provider);
      const health = targets.get(model) ?? create(provider, model);
      targets.set(model, health);
      return health;
    },
    ofDerived(provider, model) {
      const { serial, targets } = ofProvider(provider);
      const key = `${serial}\n${model}`;
      const known = targets.get(model) ?? derived.get(key);
      if (known) return known;
      const [oldest] = derived.keys();
      if (derived.size >= maxDerived && oldest !== undefined) derived.delete(oldest);
      const health = create(provider, model);
      derived.set(key, health);
      return health;
    },
  };
}

interface HealthOfProvider {
  /** Tells it apart from an earlier provider of the same id. */
  readonly serial: number;
  readonly shared: ProviderHealth;
  /** By the provider's own names of models. */
  readonly targets: Map<string, TargetHealth>;
}
