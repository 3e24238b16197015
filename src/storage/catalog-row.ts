/** A provider or a model that is not in the configuration. */
export interface CatalogEntryRow {
  kind: string;
  id: string;
  /** JSON of all but the id and what is sealed. */
  fields: string;
  /** Sealed JSON; null if there are none. */
  sealed_api_keys: string | null;
  sealed_headers: string | null;
  sealed_webhook_secret: string | null;
  updated_at: number;
}

/** The one row that counts the changes of `catalog_entries`. */
export interface CatalogEntryChangesRow {
  changes: number;
}
