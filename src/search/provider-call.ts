import type { JsonObject } from "../json/values.ts";
import type { Downgrade } from "./answer.ts";

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
