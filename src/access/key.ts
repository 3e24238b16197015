/** An API key as the gateway knows it: never its secret, only the hash of it. */
export interface ApiKey {
  /** The 10-character public id: the key's name in records, logs and commands. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole key as the caller sends it, lower-case hex. */
  readonly secretHash: string;
  /** During a rotation's overlap the old secret's hash works too, until `previousExpiresAt`. */
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
}

/** What a key may do. Null means all. */
export interface KeyScopes {
  /** Names, or `prefix/*` for any depth below `prefix/`. */
  readonly models: readonly string[] | null;
  /** Endpoint names as the catalog's `supported_endpoint_types` gives them: `chat`, `responses`, ... */
  readonly endpoints: readonly string[] | null;
}

/** What a key may do at most. Null means no limit. */
export interface KeyLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** Where keys are kept. Implemented by the storage room; `find` is on the path of every request. */
export interface KeyStore {
  /**
   * The key with this public id as it stands now: a change committed by any process on the same storage is seen by the
   * next call. Answers without a promise where it can (a cache that is known to be fresh).
   */
  find(id: string): ApiKey | null | Promise<ApiKey | null>;
  list(): Promise<ApiKey[]>;
  insert(key: ApiKey): Promise<void>;
  /** Replaces the fields given. False where there is no such key. */
  update(id: string, change: Partial<Omit<ApiKey, "id" | "createdAt">>): Promise<boolean>;
}
