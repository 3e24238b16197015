import type { Signing } from "../dialects/dialect.ts";
import type { JsonObject } from "../json/values.ts";
import type { Downgrade, ProviderAnswer } from "./answer.ts";
import type { SearchCapabilities } from "./capabilities.ts";
import type { ProviderQuery } from "./query.ts";

/** A call to a provider, without its address and credential. */
export interface ProviderCall {
  readonly method: "GET" | "POST";
  /** Below the provider's base URL, with the query string if there is one: `/search`. */
  readonly path: string;
  /** Lower-case names, beside those that every call has. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; null if there is none. */
  readonly body: JsonObject | null;
  /** What this request cannot carry: a country that the provider does not know, say. */
  readonly downgrades: readonly Downgrade[];
}

/** What an error of a provider means, whatever its status. */
export type RefusalClass =
  /** The key is missing, wrong or blocked. */
  | "credential"
  /** The operator's account is used up. */
  | "quota"
  | "rate_limit"
  /** The request itself is at fault. */
  | "request"
  /** The provider has found nothing, and says so by an error. */
  | "no_results"
  | "timeout"
  | "server";

/** An error answer of a provider, understood. */
export interface ProviderRefusal {
  readonly class: RefusalClass;
  /** The provider's own words; null if it has none. */
  readonly message: string | null;
  /** The provider's own code; null if it has none. */
  readonly code: string | null;
  /** Seconds to wait, if the body says so rather than a header. */
  readonly retryAfterSeconds?: number | null;
}

/** A search provider: all that the gateway knows of it. One folder each. Its functions are pure. */
export interface SearchProvider {
  /** As the configuration and callers name it: `tavily`. */
  readonly name: string;
  /** For the documentation: `Tavily`. */
  readonly title: string;
  /** The vendor's own address; null if there is none, so that the configuration must name one. */
  readonly defaultBaseUrl: string | null;
  readonly signing: Signing;
  readonly capabilities: SearchCapabilities;
  /**
   * Names in `provider_options` that are refused, beside those refused for all providers: what the gateway itself decides
   * (the query, how many, domains, depth, whatever changes the price).
   */
  readonly reservedOptions: readonly string[];
  toRequest(query: ProviderQuery): ProviderCall;
  /**
   * Reads a good answer. Total: whatever JSON arrives, it returns an answer or throws an `AnswerFault`.
   * @throws AnswerFault if it is not what the provider's answers look like, or is a failure under a good status
   */
  readAnswer(body: JsonObject, query: ProviderQuery): ProviderAnswer;
  /** What an answer with an error status means. @param body parsed JSON; null if it is none */
  classifyError(status: number, body: unknown): ProviderRefusal;
}
