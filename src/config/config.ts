/** The validated configuration, with all defaults filled in. */
export interface Config {
  /** The name of its file; null if there was none. */
  readonly source: string | null;
  readonly server: ServerConfig;
  readonly storage: StorageConfig;
  readonly log: LogConfig;
  readonly cors: CorsConfig;
  readonly fetch: FetchConfig;
  readonly responses: ResponsesConfig;
  readonly providers: readonly ProviderConfig[];
  readonly models: readonly ModelConfig[];
  readonly routes: readonly RouteConfig[];
  /** Whether the policy `auto` is available. */
  readonly auto: boolean;
  /** Whether to start the built-in sandbox. `providers` then has a `sandbox`, whose address is filled in later. */
  readonly usesSandbox: boolean;
}

export interface ServerConfig {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Maximum size of a request body. */
  readonly maxBodyBytes: number;
  /** Time limit for receiving a request body. */
  readonly bodyTimeoutMs: number;
  /** Time that running requests have to finish when the gateway stops. */
  readonly drainMs: number;
  /** Silence of a provider within a stream after which the gateway sends a keep-alive. */
  readonly keepAliveMs: number;
  /** Whether callers cannot see which provider answered. */
  readonly hideProvider: boolean;
  /** Maximum number of billable requests in flight; further ones are refused. */
  readonly maxInFlight: number;
  /** Maximum bytes of request bodies in memory; further requests are refused. */
  readonly maxBodyMemoryBytes: number;
  /** Maximum requests of a key in a minute that are refused before a provider is asked; 0: no limit. */
  readonly maxRefusedPerMinute: number;
}

export interface StorageConfig {
  /** `sqlite:<path>` or `postgres://...`. May contain a password: do not log. */
  readonly url: string;
  /** The directory of the local journal, which stores records while the storage is unavailable. */
  readonly journalDir: string;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** `auto`: `pretty` on a terminal, otherwise `json`. */
export type LogFormat = "auto" | "json" | "pretty";

export interface LogConfig {
  readonly level: LogLevel;
  readonly format: LogFormat;
}

export interface CorsConfig {
  /** Allowed origins, such as `https://app.example`; `*` allows all. */
  readonly origins: readonly string[];
}

export interface FetchConfig {
  /** Non-public hosts, by name or address in lower case, that the gateway may fetch from. */
  readonly allowHosts: readonly string[];
}

export interface ResponsesConfig {
  /** How long stored responses are kept after the last answer of their conversation. */
  readonly retentionMs: number;
}

/** The dialects of providers. */
export const dialectNames = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;

export type DialectConfig = (typeof dialectNames)[number];

/** A provider: an account at a vendor, or a local server. */
export interface ProviderConfig {
  readonly id: string;
  /** At least one. */
  readonly dialects: readonly DialectConfig[];
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Used round robin. Empty if the provider needs none. */
  readonly apiKeys: readonly string[];
  /** Lower-case names. Values may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: TimeoutsConfig;
  /** Maximum number of calls in flight; null: no limit. */
  readonly maxInFlight: number | null;
  readonly circuit: CircuitConfig;
  /** What happens to a streaming call if its caller disconnects. */
  readonly onCallerAbort: "cancel" | "drain";
}

/** When the circuit breaker of a target opens, and for how long. */
export interface CircuitConfig {
  /** Consecutive failures. */
  readonly failures: number;
  readonly openMs: number;
  /** Failed share of the last minute's calls, if there were at least `minCalls`; above 1: never. */
  readonly failureRate: number;
  readonly minCalls: number;
}

/** Milliseconds. */
export interface TimeoutsConfig {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** A model of the catalog. */
export interface ModelConfig {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly ownedBy: string;
  /** Unix seconds; 0 if not given. */
  readonly created: number;
  readonly targets: readonly TargetConfig[];
  /** How its targets are ordered; null: as listed. */
  readonly strategy: StrategyConfig | null;
  /** Null: each target is asked once, without waiting. */
  readonly retry: RetryConfig | null;
  readonly endpoints: readonly string[];
  /** Capabilities by name. */
  readonly parameters: Readonly<Record<string, boolean>>;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Tokens. */
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  /** What becomes of tools that only another vendor runs. */
  readonly hostedTools: "omit" | "refuse";
  readonly temperature: { readonly min: number; readonly max: number };
  /** Unix seconds. */
  readonly deprecatedAt: number | null;
  /** Whole micro-USD per pricing unit, by dimension; null if the model is unpriced. */
  readonly prices: PricesConfig | null;
}

/** One way to serve a model. */
export interface TargetConfig {
  /** The id of a provider. */
  readonly provider: string;
  /** The provider's own name for the model. */
  readonly model: string;
  readonly weight: number;
}

export const strategyNames = [
  "priority",
  "weighted",
  "round_robin",
  "lowest_latency",
  "lowest_cost",
  "least_busy",
] as const;

export type StrategyConfig = (typeof strategyNames)[number];

/** Classes of faults, for `retry.on` and `fallback_on`. */
export const faultClasses = [
  "unreachable",
  "timeout",
  "rate_limit",
  "overloaded",
  "server_error",
  "invalid_response",
  "credential",
  "not_found",
  "context_length",
] as const;

export type FaultClassConfig = (typeof faultClasses)[number];

export interface RetryConfig {
  /** Maximum number of upstream calls for one request; null: one for each credential, at least 3. */
  readonly attempts: number | null;
  readonly budgetMs: number;
  readonly on: readonly FaultClassConfig[];
}

/** A name for one or several models. */
export type RouteConfig =
  | { readonly kind: "alias"; readonly id: string; readonly leadsTo: string }
  | {
      readonly kind: "policy";
      readonly id: string;
      readonly strategy: StrategyConfig;
      readonly members: readonly { readonly model: string; readonly weight: number }[];
      readonly requires: readonly string[];
      readonly retry: RetryConfig;
      readonly fallbackOn: readonly FaultClassConfig[];
      readonly hedgeAfterMs: number | null;
    };

export type PricesConfig = Readonly<Partial<Record<PriceName, number>>>;

/** The dimensions that can have a price. */
export const priceNames = [
  "input",
  "cache_read",
  "cache_write",
  "cache_write_5m",
  "cache_write_1h",
  "cache_miss",
  "output",
  "image",
  "second",
  "character",
  "web_search",
  "video_second",
] as const;

export type PriceName = (typeof priceNames)[number];

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;
