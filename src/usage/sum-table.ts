import { addWholes, noQuantities } from "./rollup.ts";

/** What records add up to. */
export interface Sums {
  requests: number;
  errors: number;
  amountMicrousd: number;
  /** In the order of `dimensionNames`, as rollups have them. */
  readonly quantities: number[];
}

/** Sums by the names that tell them apart. Null is what has no name. */
export interface SumRow extends Sums {
  readonly names: readonly (string | null)[];
}

export function noSums(): Sums {
  return { requests: 0, errors: 0, amountMicrousd: 0, quantities: noQuantities() };
}

export function addSums(
  to: Sums,
  added: Omit<Readonly<Sums>, "quantities"> & { readonly quantities: readonly number[] },
  sign: 1 | -1 = 1,
): void {
  to.requests += sign * added.requests;
  to.errors += sign * added.errors;
  to.amountMicrousd += sign * added.amountMicrousd;
  addWholes(to.quantities, added.quantities, sign);
}

/** Rows that are made as they are first added to. */
export class SumTable {
  readonly #rows = new Map<string, SumRow>();

  get size(): number {
    return this.#rows.size;
  }

  row(names: readonly (string | null)[]): SumRow {
    const identity = JSON.stringify(names);
    let row = this.#rows.get(identity);
    if (row === undefined) {
      row = { names, ...noSums() };
      this.#rows.set(identity, row);
    }
    return row;
  }

  /** The rows that count something, by their names; what has none comes last. */
  rows(): SumRow[] {
    return [...this.#rows.values()].filter(({ requests }) => requests > 0).sort(byNames);
  }
}

function byNames(a: SumRow, b: SumRow): number {
  for (const [place, name] of a.names.entries()) {
    const other = b.names[place] ?? null;
    if (name === other) continue;
    if (name === null || other === null) return name === null ? 1 : -1;
    return name < other ? -1 : 1;
  }
  return 0;
}
