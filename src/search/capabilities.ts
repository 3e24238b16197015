/** How a provider keeps to a list of domains by itself. */
export interface DomainFilter {
  /** `parameter`: a field of its request. `query`: operators such as `site:` in the text of the query. */
  readonly by: "parameter" | "query";
  /** A longer list is not sent: the gateway filters alone. */
  readonly maxDomains: number;
}

/**
 * What a search provider can do. The router, the documentation and the console read this table; what is false or null here
 * never reaches the provider's adapter.
 */
export interface SearchCapabilities {
  readonly news: boolean;
  /** An answer of the provider's own beside the results. */
  readonly answer: boolean;
  /** The text of the pages. */
  readonly rawContent: boolean;
  /** A depth beyond `basic`. */
  readonly depth: boolean;
  readonly timeRange: boolean;
  readonly country: boolean;
  readonly language: boolean;
  /** Null: the gateway filters. */
  readonly includeDomains: DomainFilter | null;
  readonly excludeDomains: DomainFilter | null;
  /** Whether both lists can be sent at once; if not, that of the excluded domains stays with the gateway. */
  readonly mixesDomainLists: boolean;
  /** Maximum results of one call. */
  readonly maxResults: number;
  /** More results than this cost more units, so the gateway does not ask for them unless its caller does. */
  readonly resultsPerUnit: number;
  /** Characters of a query; null if no bound is known. A longer query is cut at a word. */
  readonly maxQueryLength: number | null;
  /** Whether results have a score from 0 to 1; if not, it is made from the rank. */
  readonly score: boolean;
  /** Billing units of one query, unless the answer says otherwise. */
  readonly units: { readonly basic: number; readonly advanced: number };
  /** Most units that one answer may report, for the hold of a prepaid balance. */
  readonly maxUnits: number;
  /** The dearest price of a unit that the vendor lists, in USD: what is held if the operator has set none. */
  readonly listPriceUsd: number;
  /** Whether pages can be fetched by address. */
  readonly fetch: boolean;
  /** Whether the vendor's terms allow results to be kept. */
  readonly cacheable: boolean;
}
