import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { CircuitState } from "./circuit.ts";
import { createProviderHealth, createTargetHealth, type ProviderHealth, type TargetHealth } from "./target-health.ts";

/** The health of every target. Models that share a target share its health. */
export interface Health {
  /** The health of a configured target. */
  of(provider: Provider, model: string): TargetHealth;
  /** Begins anew with a target that has changed: another address or credential has its own health. */
  renew(provider: Provider, model: string): TargetHealth;
  /** The health of a target derived from a pattern such as `openai/*`, with a model name chosen by a caller. */
  ofDerived(provider: Provider, model: string): TargetHealth;
}

/** Maximum number of derived targets, higher than that of derived models. Beyond it the oldest are dropped. */
const maxDerived = 20_000;

export function createHealth({ clock, log }: { readonly clock: Clock; readonly log: Log }): Health {
  const providers = new WeakMap<Provider, ProviderHealth>();
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
      ...(openUntil === null ? {} : { open_ms: Math.round(openUntil - clock.now()) }),
    };
    if (state === "open") log.warn(fields, `Circuit open: ${label}.`);
    else if (state === "half_open") log.info(fields, `Circuit half open: ${label}.`);
    else log.info(fields, `Circuit closed: ${label}.`);
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
    renew(provider, model) {
      const health = create(provider, model);
      configured.set(keyOf(provider, model), health);
      return health;
    },
    ofDerived(provider, model) {
      const key = keyOf(provider, model);
      const known = configured.get(key) ?? derived.get(key);
      if (known) return known;
      const [oldest] = derived.keys();
      if (derived.size >= maxDerived && oldest !== undefined) derived.delete(oldest);
      const health = create(provider, model);
      derived.set(key, health);
      return health;
    },
  };
}

function keyOf(provider: Provider, model: string): string {
  return `${provider.id}\n${model}`;
}
