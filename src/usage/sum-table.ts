import { addHistogram, addHistogramText } from "./histogram.ts";
import { addWholes, type Durations, noDurations, noQuantities } from "./rollup.ts";
import type { RollupSums } from "./usage-store.ts";

/** What records add up to. */
export interface Sums {
  requests: number;
  errors: number;
  amountMicrousd: number;
  cacheSavedMicrousd: number;
  /** In the order of `dimensionNames`, as rollups have them. */
  readonly quantities: number[];
  /** Empty unless durations were asked for. */
  readonly durations: Durations;
}

/** Sums by the names that tell them apart. Null is what has no name. */
export interface SumRow extends Sums {
  readonly names: readonly (string | null)[];
}

export function noSums(): Sums {
  return {
    requests: 0,
    errors: 0,
    amountMicrousd: 0,
    cacheSavedMicrousd: 0,
    quantities: noQuantities(),
    durations: noDurations(),
  };
}

export function addSums(to: Sums, added: Readonly<Sums>): void {
  to.requests += added.requests;
  to.errors += added.errors;
  to.amountMicrousd += added.amountMicrousd;
  to.cacheSavedMicrousd += added.cacheSavedMicrousd;
  addWholes(to.quantities, added.quantities);
  addHistogram(to.durations.latencies, added.durations.latencies);
  addHistogram(to.durations.firstBytes, added.durations.firstBytes);
}

/** Adds one row of what rollups add up to. */
export function addRow(to: Sums, sums: RollupSums, row: number, sign: 1 | -1): void {
  to.requests += sign * (sums.requests[row] ?? 0);
  to.errors += sign * (sums.errors[row] ?? 0);
  to.amountMicrousd += sign * (sums.amountsMicrousd[row] ?? 0);
  to.cacheSavedMicrousd += sign * (sums.cacheSavedMicrousd[row] ?? 0);
  for (const quantity of sums.quantities) {
    to.quantities[quantity.place] = (to.quantities[quantity.place] ?? 0) + sign * (quantity.sums[row] ?? 0);
  }
  const { durations } = sums;
  if (durations === null) return;
  addHistogramText(to.durations.latencies, durations.latencies[row] ?? "", sign);
  addHistogramText(to.durations.firstBytes, durations.firstBytes[row] ?? "", sign);
}

/** The rows whose names begin alike, by their next name; a row where there is none. */
interface Branch {
  next: Map<string | null, Branch> | null;
  row: SumRow | null;
}

/** Rows that are made as they are first added to, found name by name. */
export class SumTable {
  readonly #root: Branch = { next: null, row: null };
  size = 0;

  row(names: readonly (string | null)[]): SumRow {
    let branch = this.#root;
    for (const name of names) {
      branch.next ??= new Map();
      let next = branch.next.get(name);
      if (next === undefined) branch.next.set(name, (next = { next: null, row: null }));
      branch = next;
    }
    if (branch.row === null) {
      branch.row = { names, ...noSums() };
      this.size += 1;
    }
    return branch.row;
  }

  /** The rows that count something, by their names; what has none comes last. */
  rows(): SumRow[] {
    const rows: SumRow[] = [];
    addRows(this.#root, rows);
    return rows;
  }
}

function addRows({ next, row }: Branch, rows: SumRow[]): void {
  if (row !== null && row.requests > 0) rows.push(row);
  if (next === null) return;
  for (const [, branch] of [...next].sort(([one], [other]) => compare(one, other))) addRows(branch, rows);
}

function compare(one: string | null, other: string | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}
