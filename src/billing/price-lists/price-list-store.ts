import type { Actor } from "../../changes/change.ts";
import type { PriceTable } from "../prices/price-table.ts";

/** What puts a version of the price list in force. Changes are only ever added. */
export interface PriceChange {
  /** 1 for the first. */
  readonly sequence: number;
  /** The version that is in force from then on: a new one, or an earlier one again. */
  readonly version: number;
  /** The ids of the version's tables; null if it has none. */
  readonly configured: string | null;
  readonly imported: string | null;
  readonly bundled: string | null;
  /** `configurationAuthor`, or the name of the operator. */
  readonly author: string;
  readonly note: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The author of changes that a gateway makes when it starts. */
export const configurationAuthor = "configuration";

/** A table as it is kept. */
export interface StoredTable {
  readonly table: PriceTable;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** What the audit trail says of a change of prices. */
export interface PriceChangeOrigin {
  readonly action: "configure" | "import" | "activate";
  readonly by: Actor;
  /** The version that was in force before; null before the first. */
  readonly inForce: number | null;
}

/** Keeps the price lists of all gateways on the same storage. */
export interface PriceListStore {
  /** The sequence of the newest change, 0 before the first. Cheap to read. */
  newestSequence(): Promise<number>;
  /** All changes, oldest first. */
  changes(): Promise<readonly PriceChange[]>;
  /** Adds a change. False if its sequence is taken: another process was quicker. */
  append(change: Omit<PriceChange, "createdAt">, origin: PriceChangeOrigin): Promise<boolean>;
  /** Keeps a table. A table of this id that is there already stays as it is. */
  keepTable(id: string, table: PriceTable): Promise<void>;
  hasTable(id: string): Promise<boolean>;
  findTable(id: string): Promise<StoredTable | null>;
}
