/** How a policy, or a model with several targets, decides whom to ask first. */
export type StrategyName = "priority" | "weighted" | "round_robin" | "lowest_latency" | "lowest_cost" | "least_busy";

/** What can go wrong with an attempt, in the words in which a policy says what it retries and falls back on. */
export const faultClasses = [
  /** No connection, or one that broke before an answer. */
  "unreachable",
  /** Too slow to connect, to begin or to go on. */
  "timeout",
  "rate_limit",
  /** 503 and 529. */
  "overloaded",
  "server_error",
  /** An answer that is not one: garbage, cut, empty, an error in place of an answer. */
  "invalid_response",
  /** 401, 402, 403 or a used-up quota: the gateway's credential at the provider. */
  "credential",
  /** The provider does not know the model. */
  "not_found",
  /** The request is too long for the model. */
  "context_length",
] as const;

export type FaultClass = (typeof faultClasses)[number];

/** Within which bounds a request is tried again. */
export interface RetryRules {
  /** The most upstream calls for one request, over all its targets; null: each target once, and some more. */
  readonly attempts: number | null;
  /** No attempt but the first begins later than this after the request came, in milliseconds. */
  readonly budgetMs: number;
  /** After which faults a target that has failed may be asked again. */
  readonly on: readonly FaultClass[];
}

/** Another name for a model, a policy, or another alias. */
export interface AliasDefinition {
  readonly kind: "alias";
  readonly id: string;
  /** Where it leads: the id of a model or of another route. */
  readonly leadsTo: string;
}

/** A name for several models, with a strategy. */
export interface PolicyDefinition {
  readonly kind: "policy";
  readonly id: string;
  readonly strategy: StrategyName;
  /** In the order of preference. Each names a model, or an alias of one. */
  readonly members: readonly { readonly model: string; readonly weight: number }[];
  /** Capabilities that a model must declare to be used. */
  readonly requires: readonly string[];
  readonly retry: RetryRules;
  /** After which faults another target is asked. */
  readonly fallbackOn: readonly FaultClass[];
  /** A second target is asked when the first has been silent for so many milliseconds; null: never. */
  readonly hedgeAfterMs: number | null;
}

/** A name that stands for models, as it was configured or stored. */
export type RouteDefinition = AliasDefinition | PolicyDefinition;
