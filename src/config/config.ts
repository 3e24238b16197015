import type { SearchCacheSettings } from "../search/cache/search-cache.ts";
import type { ConsoleSettings } from "../console/settings.ts";
import type { ConfiguredBackend } from "../routing/names/backend-model.ts";
import type { PricedModel } from "../routing/names/models-of.ts";
import type { RouteDefinition } from "../routing/names/route.ts";
import type { SecretKeys } from "../secrets/secret-key.ts";
import type { Webhook } from "../webhooks/webhook.ts";
import type { Provider } from "../upstream/provider.ts";

/** The validated configuration, with all defaults filled in. */
export interface Config {
  /** The name of its file; null if there was none. */
  readonly source: string | null;
  readonly lines: ConfigLines;
  readonly server: ServerConfig;
  readonly storage: StorageConfig;
  readonly log: LogConfig;
  readonly cors: CorsConfig;
  readonly fetch: FetchConfig;
  readonly responses: ResponsesConfig;
  readonly providers: readonly Provider[];
  readonly models: readonly ModelConfig[];
  readonly routes: readonly RouteDefinition[];
  /** Whether the policy `auto` is available. */
  readonly auto: boolean;
  readonly prices: PriceListConfig;
  readonly billing: BillingConfig;
  /** Told of events. Hold secrets: do not log. */
  readonly webhooks: readonly Webhook[];
  readonly search: SearchConfig;
  /** Seal credentials in the storage. Secret: do not log. */
  readonly secretKeys: SecretKeys;
  readonly blobs: BlobsConfig;
  readonly files: FilesConfig;
  readonly media: MediaConfig;
  readonly console: ConsoleSettings;
  /** Whether to start the built-in sandbox. `providers` then has a `sandbox`, whose address is filled in later. */
  readonly usesSandbox: boolean;
}

/** The lines of the file, from 1, at which its entries begin, by their ids. */
export interface ConfigLines {
  readonly providers: ReadonlyMap<string, number>;
  readonly models: ReadonlyMap<string, number>;
  readonly routes: ReadonlyMap<string, number>;
  readonly backends: ReadonlyMap<string, number>;
}

export interface ServerConfig {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** The address by which others reach the gateway; null if it is not known. */
  readonly publicUrl: string | null;
  /** Maximum size of a request body. */
  readonly maxBodyBytes: number;
  /** Time limit for receiving a request body. */
  readonly bodyTimeoutMs: number;
  /** Time that running requests have to finish when the gateway stops. */
  readonly drainMs: number;
  /** Silence of a provider within a stream after which the gateway sends a keep-alive. */
  readonly keepAliveMs: number;
  /** Whether callers cannot see which provider answered. */
  /** Ranges of proxies whose `X-Forwarded-For` tells the address of a caller. */
  readonly trustedProxies: readonly string[];
  readonly hideProvider: boolean;
  /** Maximum number of billable requests in flight; further ones are refused. */
  readonly maxInFlight: number;
  /** Maximum bytes of request bodies in memory; further requests are refused. */
  readonly maxBodyMemoryBytes: number;
  /** Of all answers that have to be held whole. */
  readonly maxAnswerMemoryBytes: number;
  /** Maximum requests of a key in a minute that are refused before a provider is asked; 0: no limit. */
  readonly maxRefusedPerMinute: number;
  /** Maximum requests of a key in a minute that are free of charge, as token counts are; 0: no limit. */
  readonly maxFreePerMinute: number;
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

export interface PriceListConfig {
  /** Whether models without a configured or imported price have the one of the bundled table, if it knows them. */
  readonly bundled: boolean;
}

/** How requests are held and charged. */
export interface BillingConfig {
  /** If a prepaid balance covers only a part of an answer, its limit is lowered to this at least; else it is refused. */
  readonly minimumOutputTokens: number;
  /** What becomes of a request to a model without a price: it is served and marked, or refused with a 400. */
  readonly unpriced: "serve" | "refuse";
}

/** A model as it is configured: its targets name their providers, and its prices stand beside it. */
export type ModelConfig = PricedModel;

/** One way to serve a model. */
export type TargetConfig = PricedModel["targets"][number];

export interface SearchConfig {
  /** Null: no answer is kept. */
  readonly cache: SearchCacheSettings | null;
  /** In the order of the configuration. */
  readonly backends: readonly SearchBackendConfig[];
}

/** An account of a search provider. */
export type SearchBackendConfig = ConfiguredBackend;

export interface BlobsConfig {
  /** `file:` and the path of a folder. */
  readonly url: string;
}

export interface FilesConfig {
  /** Maximum size of one uploaded file, in bytes. */
  readonly maxFileBytes: number;
  /** Maximum size of all files of an account together, in bytes. */
  readonly maxAccountBytes: number;
  /** Maximum number of files of an account. */
  readonly maxAccountFiles: number;
}

export interface MediaConfig {
  /** How long a finished film is kept. */
  readonly retentionMs: number;
  /** A job that has not ended by then has failed. */
  readonly jobDeadlineMs: number;
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;
