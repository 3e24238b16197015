import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type { CompactRecord } from "../../records/compact-record.ts";
import { RollupBatch, type RollupKind } from "../../usage/rollup.ts";
import { addOnConflict, rollupTables, rollupValues, sumColumnsOf, usedPlaces } from "../usage/rollup-columns.ts";

/** Adds the records of one transaction to the rollups, within it. */
export interface RollupWriter {
  /** Forgets what a transaction that was rolled back has left. */
  begin(): void;
  /** Adds a record that was inserted, or that took the place of a pending one. */
  add(record: CompactRecord): void;
  /** Writes what was added since `begin`. */
  finish(): void;
}

type Upsert = Statement<unknown, SQLQueryBindings[]>;

/** Combinations of quantities with statements of their own: requests of few kinds have few. */
const maxCombinations = 64;

export function createRollupWriter(database: Database): RollupWriter {
  /** Statements that write only the quantities of a batch, which are few of all. */
  const combinations = new Map<string, Record<RollupKind, Upsert>>();
  const batch = new RollupBatch();

  function prepare(kind: RollupKind, sums: readonly string[]): Upsert {
    const table = rollupTables[kind];
    const columns = [...table.identity, ...sums];
    return database.prepare<unknown, SQLQueryBindings[]>(
      `insert into ${table.name} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})
        ${addOnConflict(table, sums)}`,
    );
  }

  function statementsFor(places: readonly number[]): Record<RollupKind, Upsert> {
    const combination = places.join();
    let statements = combinations.get(combination);
    if (statements === undefined) {
      const sums = sumColumnsOf(places);
      statements = {
        names: prepare("names", sums),
        times: prepare("times", sums),
        facetNames: prepare("facetNames", sums),
        facets: prepare("facets", sums),
      };
      if (combinations.size === maxCombinations) {
        for (const old of combinations.values()) for (const statement of Object.values(old)) statement.finalize();
        combinations.clear();
      }
      combinations.set(combination, statements);
    }
    return statements;
  }

  return {
    begin: () => batch.clear(),
    add: (record) => batch.add(record),
    finish() {
      if (batch.size === 0) return;
      const rollups = batch.rollups();
      const places = usedPlaces(rollups);
      const statements = statementsFor(places);
      for (const rollup of rollups) statements[rollup.kind].run(...rollupValues(rollup, places));
      batch.clear();
    },
  };
}
