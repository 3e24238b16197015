import type { Model } from "./model.ts";
import { type FaultClass, faultClasses, type PolicyDefinition, type RetryRules, type StrategyName } from "./route.ts";

/** One model of a destination. */
export interface Member {
  readonly model: Model;
  readonly weight: number;
}

/** The models that a name resolves to, computed once and not for every request. */
export interface Destination {
  /** The id of the policy or model. */
  readonly id: string;
  /** True for a policy, by its own name or an alias; false for a single model. */
  readonly isPolicy: boolean;
  /** The strategy in records: `direct` for a plain model, `alias` for an alias of one, otherwise the strategy. */
  readonly strategyName: string;
  readonly strategy: StrategyName;
  readonly members: readonly Member[];
  /** The route names that were resolved, this one included. A key scope may name any of them. */
  readonly names: readonly string[];
  /** Capabilities that a model must declare. */
  readonly requires: readonly string[];
  /** A model must declare the capabilities that the request uses; otherwise it must only not deny them. */
  readonly isStrict: boolean;
  readonly retry: RetryRules | null;
  /** Faults after which the same target may be asked again. */
  readonly retryOn: ReadonlySet<FaultClass>;
  /** Faults after which another target is asked. */
  readonly fallbackOn: ReadonlySet<FaultClass>;
  readonly hedgeAfterMs: number | null;
  /** The position of `round_robin`. */
  readonly rotation: { next: number };
  /** Set for search backends. */
  readonly backends?: BackendChoice;
}

/** How one of several search backends is chosen. */
export interface BackendChoice {
  /** The caller has named a backend or a provider. */
  readonly isExplicit: boolean;
  /** The backend that the caller has named, which is asked first; null if there are several to choose from. */
  readonly named: Model | null;
  /** After a backend refuses a request as invalid the next one is asked: they differ in what they take. */
  readonly survivesRefusal: boolean;
}

/** Faults after which a model's next target is asked: all that are not caused by the request. */
const allFaults: ReadonlySet<FaultClass> = new Set(faultClasses.filter((name) => name !== "context_length"));

/** The destination of a model's own name. */
export function toModel(model: Model): Destination {
  return {
    id: model.id,
    isPolicy: false,
    strategyName: model.strategy ?? "direct",
    strategy: "priority",
    members: [{ model, weight: 1 }],
    names: [],
    requires: [],
    isStrict: false,
    retry: model.retry,
    retryOn: new Set(model.retry?.on),
    fallbackOn: allFaults,
    hedgeAfterMs: null,
    rotation: { next: 0 },
  };
}

/** The destination of a policy. */
export function toPolicy(policy: PolicyDefinition, members: readonly Member[]): Destination {
  return {
    id: policy.id,
    isPolicy: true,
    strategyName: policy.strategy,
    strategy: policy.strategy,
    members,
    names: [policy.id],
    requires: policy.requires,
    isStrict: false,
    retry: policy.retry,
    retryOn: new Set(policy.retry.on),
    fallbackOn: new Set(policy.fallbackOn),
    hedgeAfterMs: policy.hedgeAfterMs,
    rotation: { next: 0 },
  };
}

/** The built-in policy `auto`: every model that can serve the request, cheapest first. */
export function toAuto(models: readonly Model[], policy: Omit<PolicyDefinition, "members">): Destination {
  const members = models.map((model) => ({ model, weight: 1 }));
  return { ...toPolicy({ ...policy, members: [] }, members), isStrict: true };
}

/** The same destination under one more name. */
export function underAlias(name: string, destination: Destination): Destination {
  const { strategyName } = destination;
  return {
    ...destination,
    names: [...destination.names, name],
    strategyName: strategyName === "direct" ? "alias" : strategyName,
  };
}
