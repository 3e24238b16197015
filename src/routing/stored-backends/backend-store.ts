import type { NewChange } from "../../changes/change.ts";
import type { JsonObject } from "../../json/values.ts";

/** A search backend created at run time. */
export interface StoredBackend {
  readonly id: string;
  /** As the configuration writes them, without the id and what is sealed. */
  readonly fields: JsonObject;
  readonly sealed: SealedFields;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** What may be secret: each is JSON, sealed for the backend's id; null if the backend has none. */
export interface SealedFields {
  /** A list of keys. */
  readonly apiKeys: string | null;
  /** A map of names to values. */
  readonly headers: string | null;
}

/**
 * Stores the search backends that are not in the configuration, for all gateways on the same storage. A change names the
 * version it is based on, so that two concurrent changes, each valid by itself, are not both made.
 */
export interface BackendStore {
  /** Changes with every change by any process. Cheap to read. */
  version(): Promise<number>;
  /** All backends, ordered by id. */
  list(): Promise<readonly StoredBackend[]>;
  /**
   * Adds or replaces backends, all or none, with their entries in the audit trail. False if the version is no longer the
   * given one.
   */
  put(backends: readonly StoredBackend[], version: number, changes: readonly NewChange[]): Promise<boolean>;
  /** False if the version is no longer the given one, or the backend does not exist. */
  remove(id: string, version: number, change: NewChange): Promise<boolean>;
}
