import type { ReadEach } from "../queries/read-each.ts";

/** A connection that an audit reads by. Several of them can see the same moment. */
export interface AuditReader {
  readonly readEach: ReadEach;
  /**
   * Begins a transaction that reads.
   * @param snapshot what another reader has returned, to see the same moment; null if there is none
   * @returns a name of this moment; null on SQLite, which has none
   */
  begin(snapshot: string | null): Promise<string | null>;
  close(): Promise<void>;
}

/** What a thread opens: the path of an SQLite file, or the URL of a Postgres database. */
export type AuditTarget =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };
