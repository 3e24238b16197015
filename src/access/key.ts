import type { Tags } from "../attribution/attribution.ts";
import type { Actor } from "../changes/change.ts";

/** An API key as stored: the hash of its secret, never the secret. */
export interface ApiKey {
  /** The 10-character public id, used in records, logs and commands. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole key, in lower-case hex. */
  readonly secretHash: string;
  /** The hash of the secret before the last rotation, valid until `previousExpiresAt`. */
  readonly previousSecretHash: string | null;
  /** Milliseconds since 1970. */
  readonly previousExpiresAt: number | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly disabledAt: number | null;
  readonly scopes: KeyScopes;
  readonly limits: KeyLimits;
  /** May use `/api/admin/*`. */
  readonly admin: boolean;
  /** The account that its requests are charged to. */
  readonly accountId: string;
  /** Fixed tags of its requests, which callers cannot overwrite. */
  readonly tags: Tags;
}

/** The models and endpoints that a key may use. Null means all. */
export interface KeyScopes {
  /** Names, or `prefix/*` for any depth below `prefix/`. */
  readonly models: readonly string[] | null;
  /** Endpoint names as in the catalog's `supported_endpoint_types`, such as `chat`. */
  readonly endpoints: readonly string[] | null;
  /** Domains that searches may return results of, in punycode, each with all below it. Absent: all. */
  readonly domains?: readonly string[] | null;
  /** Ranges of addresses that it may be used from, as `readIpRange` writes them. Absent: all. */
  readonly ipRanges?: readonly string[] | null;
}

/** The limits of a key. Null means no limit. */
export interface KeyLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

export type KeyChange = Partial<Omit<ApiKey, "id" | "createdAt">>;

/** Stores keys. Implemented by `src/storage`. `find` is called for every request. */
export interface KeyStore {
  /**
   * Finds a key by its public id. A change committed by any process on the same storage is visible to the next call.
   * Returns without a promise if it can answer from a cache that is known to be current.
   */
  find(id: string): ApiKey | null | Promise<ApiKey | null>;
  /** All keys, oldest first. */
  list(): Promise<ApiKey[]>;
  /** The newest keys or, if `after` is the id of one, those that follow it. */
  page(page: { readonly limit: number; readonly after: string | null }): Promise<ApiKey[]>;
  insert(key: ApiKey, by: Actor): Promise<void>;
  /**
   * Replaces the fields that `decide` gives for the key as it stands, and returns the changed key; null if it does not
   * exist. `decide` is run again if another change is quicker.
   */
  update(id: string, decide: (key: ApiKey) => KeyChange, by: Actor): Promise<ApiKey | null>;
}
