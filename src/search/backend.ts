/** A configured account of a search provider, as far as its choice goes. */
export interface SearchBackend {
  /** What callers may name it by, beside its id. */
  readonly name: string;
  /** The name of its provider: `tavily`. */
  readonly provider: string;
  readonly isEnabled: boolean;
  /** The lowest is asked first. */
  readonly priority: number;
  /** Its share among backends that are equal otherwise. */
  readonly weight: number;
  /** Results beyond so many are clipped. */
  readonly maxResults: number;
  /** Whether another backend may answer a caller who has named this one. */
  readonly mayFallBack: boolean;
  /** Whether its answers may be kept, if there is a cache. */
  readonly mayCache: boolean;
}
