import type { HostedToolsPolicy } from "../../conversation/hosted-tools.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { RetryRules, StrategyName } from "./route.ts";
import type { TargetHealth } from "../health/target-health.ts";

/** One way to serve a model. */
export interface Target {
  readonly provider: Provider;
  /** The provider's own name for the model. */
  readonly model: string;
  /** Its share under the strategy `weighted`. */
  readonly weight: number;
  readonly health: TargetHealth;
}

/** A public name in the catalog. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly ownedBy: string;
  /** Unix seconds. */
  readonly created: number;
  /** At least one. */
  readonly targets: readonly Target[];
  /** How one of several targets is chosen; null: in order. */
  readonly strategy: StrategyName | null;
  /** Null: each target is asked once, and nothing is waited for. */
  readonly retry: RetryRules | null;
  /** Under which id its prices stand: its own, or the pattern's that serves it. */
  readonly pricedAs: string;
  /** Endpoint names: `chat`, ... */
  readonly endpoints: readonly string[];
  /** Capabilities by name. Only `false` refuses; a capability not named is not refused. */
  readonly parameters: Readonly<Record<string, boolean>>;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Tokens. */
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  /** What becomes of tools that only another vendor runs. */
  readonly hostedTools: HostedToolsPolicy;
  /** Lowest and highest temperature it takes. */
  readonly temperature: { readonly min: number; readonly max: number };
  /** Unix seconds. */
  readonly deprecatedAt: number | null;
}
