import type { NewChange } from "../../changes/change.ts";
import type { StoredItem } from "../stored/stored-item.ts";

export type StoredKind = "provider" | "model";

/** A provider or a model created at run time. Models have nothing sealed. */
export interface StoredEntry extends StoredItem {
  readonly kind: StoredKind;
}

/**
 * Stores the providers and models that are not in the configuration, for all gateways on the same storage. One version counts
 * the changes of both: a change names the version it is based on, so that a provider is not removed while a model of it is added.
 */
export interface CatalogStore {
  /** Changes with every change by any process. Cheap to read. */
  version(): Promise<number>;
  /** All providers, then all models, each ordered by id. */
  list(): Promise<readonly StoredEntry[]>;
  /** Adds or replaces an entry, with that of the audit trail. False if the version is no longer the given one. */
  put(entry: StoredEntry, version: number, change: NewChange): Promise<boolean>;
  /** False if the version is no longer the given one, or the entry does not exist. */
  remove(kind: StoredKind, id: string, version: number, change: NewChange): Promise<boolean>;
}
