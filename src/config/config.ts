/** The configuration as the rest of the house reads it: checked, complete, every default filled in. */
export interface Config {
  /** The file it came from, as it was named; null where there was none. */
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
  /** The policy `auto` is served. */
  readonly auto: boolean;
  /** The built-in sandbox is to be started: `providers` holds one with the id `sandbox` whose address is not known yet. */
  readonly usesSandbox: boolean;
}

export interface ServerConfig {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Larger request bodies are refused. */
  readonly maxBodyBytes: number;
  /** How long a request body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** How long running requests may take to finish when the gateway stops. */
  readonly drainMs: number;
  /** How long a provider may be silent within a stream before the gateway sends a sign of life. */
  readonly keepAliveMs: number;
  /** Callers are not told which provider served them. */
  readonly hideProvider: boolean;
  /** Billable requests at once; what comes beyond is refused. */
  readonly maxInFlight: number;
  /** Bytes of request bodies that may be held at once; what comes beyond is refused. */
  readonly maxBodyMemoryBytes: number;
}

export interface StorageConfig {
  /** `sqlite:<path>` or `postgres://...`. May hold a password: never to be logged. */
  readonly url: string;
  /** The folder of the local journal, which keeps records while the storage is unavailable. */
  readonly journalDir: string;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** `auto`: pretty on a terminal, else JSON. */
export type LogFormat = "auto" | "json" | "pretty";

export interface LogConfig {
  readonly level: LogLevel;
  readonly format: LogFormat;
}

export interface CorsConfig {
  /** Origins whose pages may call, such as `https://app.example`; `*` stands for any. Empty: no page may. */
  readonly origins: readonly string[];
}

export interface FetchConfig {
  /** Hosts, by name or address in lower case, that the gateway may fetch from though they are not public. */
  readonly allowHosts: readonly string[];
}

export interface ResponsesConfig {
  /** How long a stored response, and all of its conversation, is kept after the conversation's last answer. */
  readonly retentionMs: number;
}

/** The dialects that providers can be called in. */
export const dialectNames = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;

export type DialectConfig = (typeof dialectNames)[number];

/** A vendor account that Tollgate may call. */
export interface ProviderConfig {
  readonly id: string;
  /** What it speaks: one at least. */
  readonly dialects: readonly DialectConfig[];
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Used in turn. Empty where the provider wants none. */
  readonly apiKeys: readonly string[];
  /** Lower-case names. Values may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: TimeoutsConfig;
  /** Calls at once; null: no limit. */
  readonly maxInFlight: number | null;
  readonly circuit: CircuitConfig;
  /** What becomes of a call whose caller has left in the middle of a stream. */
  readonly onCallerAbort: "cancel" | "drain";
}

/** When a target is no longer asked, and for how long. */
export interface CircuitConfig {
  /** Failures in a row. */
  readonly failures: number;
  readonly openMs: number;
  /** Failed share of the last minute's calls, of which there must be at least `leastCalls`; above 1: never. */
  readonly failureRate: number;
  readonly leastCalls: number;
}

/** Milliseconds. */
export interface TimeoutsConfig {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** A public name in the catalog. */
export interface ModelConfig {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly ownedBy: string;
  /** Unix seconds; 0 where not told. */
  readonly created: number;
  readonly targets: readonly TargetConfig[];
  /** How its targets are chosen among; null: in order. */
  readonly strategy: StrategyConfig | null;
  /** Null: each target is asked once, and nothing is waited for. */
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
  /** Whole micro-USD per pricing unit, by dimension; null where the model has no prices at all. */
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

/** What can go wrong with an attempt, in the words of `retry.on` and `fallback_on`. */
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
  /** The most upstream calls for one request; null: each target once, and some more. */
  readonly attempts: number | null;
  readonly budgetMs: number;
  readonly on: readonly FaultClassConfig[];
}

/** A name that stands for models. */
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

/** The environment variables a configuration may name. */
export type Environment = Readonly<Record<string, string | undefined>>;
