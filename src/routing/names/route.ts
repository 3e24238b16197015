/** How a policy, or a model with several targets, orders its candidates. */
export const strategyNames = [
  "priority",
  "weighted",
  "round_robin",
  "lowest_latency",
  "lowest_cost",
  "least_busy",
] as const;

export type StrategyName = (typeof strategyNames)[number];

/** Classes of faults, as named in the retry and fallback rules of a policy. */
export const faultClasses = [
  /** No connection, or one that broke before an answer. */
  "unreachable",
  /** A time limit was exceeded: connecting, the first byte, an idle stream or the total. */
  "timeout",
  "rate_limit",
  /** 503 and 529. */
  "overloaded",
  "server_error",
  /** A malformed, truncated or empty answer, or an error in place of an answer. */
  "invalid_response",
  /** 401, 402 or 403: the provider rejected the gateway's credential. */
  "credential",
  /** The provider does not know the model. */
  "not_found",
  /** The request is too long for the model. */
  "context_length",
] as const;

export type FaultClass = (typeof faultClasses)[number];

/** The bounds within which a request is retried. */
export interface RetryRules {
  /** Maximum number of upstream calls for one request, over all targets; null: one for each credential, at least 3. */
  readonly attempts: number | null;
  /** Retries begin at most this many milliseconds after the request arrived. */
  readonly budgetMs: number;
  /** Faults after which the same target may be asked again. */
  readonly on: readonly FaultClass[];
}

/** Another name for a model, a policy, or another alias. */
export interface AliasDefinition {
  readonly kind: "alias";
  readonly id: string;
  /** The id of a model or of another route. */
  readonly leadsTo: string;
}

/** A name for several models, with a strategy. */
export interface PolicyDefinition {
  readonly kind: "policy";
  readonly id: string;
  readonly strategy: StrategyName;
  /** In the order of preference. Each names a model, or an alias of one. */
  readonly members: readonly { readonly model: string; readonly weight: number }[];
  /** Capabilities that a model must declare. */
  readonly requires: readonly string[];
  readonly retry: RetryRules;
  /** Faults after which another target is asked. */
  readonly fallbackOn: readonly FaultClass[];
  /** A second target is asked if the first has sent nothing for this many milliseconds; null: never. */
  readonly hedgeAfterMs: number | null;
}

/** A route as configured or stored. */
export type RouteDefinition = AliasDefinition | PolicyDefinition;
