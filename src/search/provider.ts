import type { Signing } from "../dialects/dialect.ts";
import type { JsonObject } from "../json/values.ts";
import type { ProviderAnswer } from "./answer.ts";
import type { SearchCapabilities } from "./capabilities.ts";
import type { PageFetcher } from "./fetch/page-fetcher.ts";
import type { ProviderCall, ProviderRefusal } from "./provider-call.ts";
import type { ProviderQuery } from "./query.ts";

export type { ProviderCall, ProviderRefusal, RefusalClass } from "./provider-call.ts";

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
  /** Absent if it fetches no pages. */
  readonly fetch?: PageFetcher;
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
