import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type { CompactRecord } from "../../records/compact-record.ts";
import { addHistogramText } from "../../usage/histogram.ts";
import { copyOfDurations, type Rollup, RollupBatch, type RollupKind } from "../../usage/rollup.ts";
import {
  addOnConflict,
  identityValues,
  otherColumns,
  type RollupTable,
  rollupTables,
  rollupValues,
  sumColumnsOf,
  usedPlaces,
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

type Statements = Readonly<Record<RollupKind, Upsert>>;

/** Statements that write one row, and `rowsAtOnce`, which takes less time for each. */
interface Upsert {
  readonly one: Statement<unknown, SQLQueryBindings[]>;
  readonly many: Statement<unknown, SQLQueryBindings[]>;
}

const rowsAtOnce = 16;

/** Combinations of quantities with statements of their own: requests of few kinds have few. */
const maxCombinations = 64;

interface DurationTexts {
  readonly latencies: string;
  readonly first_bytes: string;
}

export function createRollupWriter(database: Database): RollupWriter {
  /** Histograms that are there, by the identities of their rows. */
  const prepareKnown = ({ name, identity, hasDurations }: RollupTable) =>
    hasDurations
      ? database.prepare<DurationTexts, SQLQueryBindings[]>(
          `select latencies, first_bytes from ${name} where ${identity.map((column) => `${column} = ?`).join(" and ")}`,
        )
      : null;
  const known = {
    names: prepareKnown(rollupTables.names),
    times: prepareKnown(rollupTables.times),
    facetNames: prepareKnown(rollupTables.facetNames),
    facets: prepareKnown(rollupTables.facets),
  };
  /** Statements that write only the quantities of a batch, which are few of all. */
  const combinations = new Map<string, Statements>();
  const batch = new RollupBatch();

  function prepare(kind: RollupKind, sums: readonly string[]): Upsert {
    const table = rollupTables[kind];
    const columns = [...table.identity, ...sums, ...otherColumns(table)];
    const row = `(${columns.map(() => "?").join(", ")})`;
    const upsert = (rows: number) =>
      database.prepare<unknown, SQLQueryBindings[]>(
        `insert into ${table.name} (${columns.join(", ")}) values ${Array.from({ length: rows }, () => row).join(", ")}
          ${addOnConflict("sqlite", table, sums)}`,
      );
    return { one: upsert(1), many: upsert(rowsAtOnce) };
  }

  function statementsFor(places: readonly number[]): Statements {
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
        for (const old of combinations.values()) {
          for (const { one, many } of Object.values(old)) {
            one.finalize();
            many.finalize();
          }
        }
        combinations.clear();
      }
      combinations.set(combination, statements);
    }
    return statements;
  }

  /** The sum with the histograms of its row, if that is there: they are written as a whole. */
  function withKnown(rollup: Rollup): Rollup {
    if (rollup.durations === null) return rollup;
    const row = known[rollup.kind]?.get(...identityValues(rollup)) ?? null;
    if (row === null) return rollup;
    const durations = copyOfDurations(rollup.durations);
    addHistogramText(durations.latencies, row.latencies);
    addHistogramText(durations.firstBytes, row.first_bytes);
    return { ...rollup, durations };
  }

  return {
    begin: () => batch.clear(),
    add: (record) => batch.add(record),
    finish() {
      if (batch.size === 0) return;
      const rollups = batch.rollups();
      const places = usedPlaces(rollups);
      const statements = statementsFor(places);
      for (const [kind, { one, many }] of Object.entries(statements)) {
        const rows = rollups
          .filter((rollup) => rollup.kind === kind)
          .map((rollup) => rollupValues(withKnown(rollup), places));
        const end = rows.length - (rows.length % rowsAtOnce);
        for (let at = 0; at < end; at += rowsAtOnce) many.run(...rows.slice(at, at + rowsAtOnce).flat());
        for (const row of rows.slice(end)) one.run(...row);
      }
      batch.clear();
    },
  };
}
