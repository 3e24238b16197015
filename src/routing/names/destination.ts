import type { Model } from "./model.ts";
import { type FaultClass, faultClasses, type PolicyDefinition, type RetryRules, type StrategyName } from "./route.ts";

/** One model behind a name. */
export interface Member {
  readonly model: Model;
  readonly weight: number;
}

/** Where a name leads, worked out once and not for every request. */
export interface Destination {
  /** The name of the policy or model that decides. */
  readonly id: string;
  /** A policy, under its own name or an alias of it; else one model. */
  readonly isPolicy: boolean;
  /** As records say it: `direct` for a plain model, `alias` for an alias of one, else the strategy. */
  readonly strategyName: string;
  readonly strategy: StrategyName;
  readonly members: readonly Member[];
  /** Names under which it was reached, this one included: a key may use it by any of them. */
  readonly names: readonly string[];
  /** Capabilities that a model must declare. */
  readonly requires: readonly string[];
  /** `requires` may also come from the request: a model must declare what the request uses, not just not deny it. */
  readonly isStrict: boolean;
  readonly retry: RetryRules | null;
  /** After which faults the same target may be asked again. */
  readonly retryOn: ReadonlySet<FaultClass>;
  /** After which faults another target is asked. */
  readonly fallbackOn: ReadonlySet<FaultClass>;
  readonly hedgeAfterMs: number | null;
  /** Where `round_robin` goes on. */
  readonly turn: { next: number };
}

/** What a model's own targets fall back on: all that is not the request's own fault. */
const allFaults: ReadonlySet<FaultClass> = new Set(faultClasses.filter((name) => name !== "context_length"));

/** A model by its own name. */
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
    turn: { next: 0 },
  };
}

/** A policy over these models. */
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
    turn: { next: 0 },
  };
}

/** The policy that ships: every model that can do what the request needs, cheapest first. */
export function toAuto(models: readonly Model[], policy: Omit<PolicyDefinition, "members">): Destination {
  const members = models.map((model) => ({ model, weight: 1 }));
  return { ...toPolicy({ ...policy, members: [] }, members), isStrict: true };
}

/** The same place, reached under one more name. */
export function underAlias(name: string, destination: Destination): Destination {
  const { strategyName } = destination;
  return {
    ...destination,
    names: [...destination.names, name],
    strategyName: strategyName === "direct" ? "alias" : strategyName,
  };
}
