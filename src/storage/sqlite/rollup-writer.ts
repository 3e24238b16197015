import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { CompactRecord } from "../../records/compact-record.ts";
import { RollupBatch } from "../../usage/rollup.ts";
import {
  addOnConflict,
  facetTable,
  plainTable,
  rollupColumns,
  type RollupTable,
  rollupValues,
} from "../usage/rollup-columns.ts";

/** Adds the records of one transaction to the rollups, within it. */
export interface RollupWriter {
  /** Forgets what a transaction that was rolled back has left. */
  begin(): void;
  /** Adds a record that was inserted, or that took the place of a pending one. */
  add(record: CompactRecord): void;
  /** Writes what was added since `begin`. */
  finish(): void;
}

export function createRollupWriter(database: Database): RollupWriter {
  const prepare = (table: RollupTable) => {
    const columns = rollupColumns(table);
    return database.prepare<unknown, SQLQueryBindings[]>(
      `insert into ${table.name} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})
        ${addOnConflict(table)}`,
    );
  };
  const plain = prepare(plainTable);
  const faceted = prepare(facetTable);
  const batch = new RollupBatch();
  return {
    begin: () => batch.clear(),
    add: (record) => batch.add(record),
    finish() {
      for (const rollup of batch.rollups()) (rollup.facet === null ? plain : faceted).run(...rollupValues(rollup));
      batch.clear();
    },
  };
}
