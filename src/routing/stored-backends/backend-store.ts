import type { NewChange } from "../../changes/change.ts";
import type { StoredItem } from "../stored/stored-item.ts";

/** A search backend created at run time. */
export type StoredBackend = StoredItem;

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
