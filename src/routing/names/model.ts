import type { HostedToolsPolicy } from "../../conversation/fields/hosted-tools.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { SearchUnits } from "../../metering/expected-usage.ts";
import type { SearchBackend } from "../../search/backend.ts";
import type { RetryRules, StrategyName } from "./route.ts";
import type { TargetHealth } from "../health/target-health.ts";

/** One way to serve a model. */
export interface Target {
  readonly provider: Provider;
  /** The provider's own name for the model. */
  readonly model: string;
  /** Its share under the strategy `weighted`. */
  readonly weight: number;
  /** `provider/model` as the configuration writes it, under which it may have prices of its own. */
  readonly pricedAs: string;
  readonly health: TargetHealth;
}

/** How the gateway runs the web search of a model's callers. */
export interface WebSearchSettings {
  /** The name of a search backend, or `auto`. */
  readonly backend: string;
  /** Searches of one answer at most, so that the model is asked once more than that. */
  readonly maxRounds: number;
}

/** What a model declares: a capability (`tools: true`), a limit (`max_characters: 4096`), a choice (`voices: [alloy]`). */
export type ModelParameters = Readonly<Record<string, boolean | number | readonly (string | number)[]>>;

/** A model of the catalog. */
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
  /** Null: each target is asked once, without waiting. */
  readonly retry: RetryRules | null;
  /** The id whose prices apply: its own, or that of the pattern it is derived from. */
  readonly pricedAs: string;
  /** Endpoint names, such as `chat`. */
  readonly endpoints: readonly string[];
  /** Capabilities, limits and choices by name. Only `false` excludes the model; an absent capability does not. */
  readonly parameters: ModelParameters;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Tokens. */
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  /** `maxOutputTokens` is a limit of this one request, which is sent also if its caller asks for none. */
  readonly imposesOutputLimit?: true;
  /** The treatment of tools that only another vendor runs. */
  readonly hostedTools: HostedToolsPolicy;
  /** The gateway runs the web search that callers ask for; absent: that is the provider's to do. */
  readonly webSearch?: WebSearchSettings;
  /** Range of the temperature. */
  readonly temperature: { readonly min: number; readonly max: number };
  /** Unix seconds. */
  readonly deprecatedAt: number | null;
  /** The settings of a search backend; absent if it is a model. */
  readonly search?: SearchBackend;
  /** Billing units of one search; absent if it is a model. */
  readonly searchUnits?: SearchUnits;
}
