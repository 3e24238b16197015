import { invalidParameter } from "../errors.ts";
import type { UsageRecord } from "../records/record.ts";
import { nextTurn } from "../next-turn.ts";
import { cutAt, type Segment } from "./calendar.ts";
import { type Facet, type FacetName, facetsOf } from "./facets.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { addQuantities, dayMs, facetSpans, noQuantities, type RollupSpan, spans } from "./rollup.ts";
import { addSums, noSums, type SumRow, type Sums, SumTable } from "./sum-table.ts";
import { type Column, isColumn, isTimeUnit, type SummaryKey, type SummaryQuery } from "./summary-query.ts";
import {
  errorStatuses,
  type RecordFilter,
  type RollupQuery,
  type RollupColumn,
  type UsageStore,
} from "./usage-store.ts";

/** What the records that a query selects add up to. */
export interface Summary {
  readonly rows: readonly SumRow[];
  readonly total: Sums;
}

/** A row for each combination: more are refused, and can be had by a shorter time or fewer keys. */
const maxRows = 10_000;
/** Records that are read for one summary, beside the rollups. */
const maxRecords = 250_000;
const recordsAtOnce = 500;

/**
 * Adds up final records, from rollups where they suffice: days, hours and quarters of an hour are sums already, what is
 * beside them is read from the records. Rollups know one facet each, so that combinations of facets are read from the records.
 * @throws 400 naming `by` or `from` if there is too much of it
 */
export async function summarize(store: UsageStore, query: SummaryQuery): Promise<Summary> {
  const { filter, by, timeZone } = query;
  const keyIds = filter.keyId === null ? await store.keyIds() : [filter.keyId];
  const extent = await store.extent(keyIds);
  const table = new SumTable();
  if (extent !== null) {
    const range = { from: Math.max(extent.from, filter.from ?? 0), to: Math.min(extent.to, filter.to ?? Infinity) };
    const segments = cutAt(by.filter(isTimeUnit), timeZone, range);
    await new Summing(store, query, keyIds, segments, table).run(extent.to - dayMs);
  }
  const rows = table.rows();
  const total = noSums();
  for (const row of rows) addSums(total, row);
  return { rows, total };
}

interface PlacedPiece extends Piece {
  /** The place of its segment. */
  readonly place: number;
}

/** One summary being added up. */
class Summing {
  readonly #store: UsageStore;
  readonly #filter: RecordFilter;
  readonly #by: readonly SummaryKey[];
  readonly #keyIds: readonly string[];
  readonly #segments: readonly Segment[];
  readonly #table: SumTable;
  /** The facets by which rows are told apart. */
  readonly #facets: readonly FacetName[];
  #recordsRead = 0;

  constructor(
    store: UsageStore,
    { filter, by }: SummaryQuery,
    keyIds: readonly string[],
    segments: readonly Segment[],
    table: SumTable,
  ) {
    this.#store = store;
    this.#filter = filter;
    this.#by = by;
    this.#keyIds = keyIds;
    this.#segments = segments;
    this.#table = table;
    this.#facets = by.filter((key): key is FacetName => !isTimeUnit(key) && !isColumn(key));
  }

  /** @param lastDay the day that is still being added to */
  async run(lastDay: number): Promise<void> {
    const names = new Set([...this.#facets, ...this.#filter.facets.map(({ name }) => name)]);
    const fromRecords = names.size > 1 || this.#filter.facets.length > 1;
    const pieces = this.#segments.flatMap((segment, place): PlacedPiece[] =>
      fromRecords
        ? [{ span: null, from: segment.from, to: segment.to, sign: 1, place }]
        : piecesOf(segment, names.size === 0 ? spans : facetSpans, lastDay).map((piece) => ({ ...piece, place })),
    );
    for (const span of spans) {
      await this.#addRollups(
        span,
        pieces.filter((piece) => piece.span === span),
      );
    }
    for (const piece of pieces) if (piece.span === null) await this.#addRecords(piece);
  }

  async #addRollups(span: RollupSpan, pieces: readonly PlacedPiece[]): Promise<void> {
    const [name] = this.#facets;
    const [selected] = this.#filter.facets;
    for (const { some, keyIds } of this.#batches(span, pieces)) {
      const facet = name === undefined ? (selected ?? null) : { name, value: selected?.value ?? null };
      await this.#addSums(span, some, keyIds, facet);
      // What has no such facet is the rest of all.
      if (facet !== null && facet.value === null) await this.#addSums(span, some, keyIds, null);
    }
  }

  /** Parts of the work that the store does in one go. */
  *#batches(span: RollupSpan, pieces: readonly PlacedPiece[]) {
    const max = this.#store.timesAtOnce;
    const parts = pieces.flatMap((piece) => split(piece, span * max));
    for (let first = 0; first < parts.length;) {
      let times = 0;
      let after = first;
      for (; after < parts.length; after += 1) {
        const part = parts[after];
        const more = part === undefined ? 0 : (part.to - part.from) / span;
        if (after > first && times + more > max) break;
        times += more;
      }
      const some = parts.slice(first, after);
      const keysAtOnce = Math.max(1, Math.floor(max / times));
      for (let key = 0; key < this.#keyIds.length; key += keysAtOnce) {
        yield { some, keyIds: this.#keyIds.slice(key, key + keysAtOnce) };
      }
      first = after;
    }
  }

  /** Adds what has a facet, or all if that is null. If any value of it counts, that is taken from the rows without one. */
  async #addSums(
    span: RollupSpan,
    pieces: readonly PlacedPiece[],
    keyIds: readonly string[],
    facet: RollupQuery["facet"],
  ): Promise<void> {
    const columns = this.#by.filter(isColumn);
    const isByValue = facet !== null && this.#facets.length > 0;
    const by: RollupColumn[] = isByValue ? [...columns, "value"] : columns;
    const limit = maxRows + 1;
    const sums = await this.#store.sumRollups({ span, ranges: pieces, keyIds, filter: this.#filter, facet, by, limit });
    if (sums.length > maxRows) throw tooManyRows();
    for (const sum of sums) {
      const piece = pieces[sum.range];
      const segment = this.#segments[piece?.place ?? -1];
      if (piece === undefined || segment === undefined) continue;
      const value = isByValue ? (sum.names.at(-1) ?? null) : null;
      const columnOf = (column: Column) => sum.names[columns.indexOf(column)] ?? "";
      addSums(
        this.#rowFor(segment, columnOf, () => value),
        sum,
        piece.sign,
      );
      if (!isByValue || facet.value !== null) continue;
      addSums(
        this.#rowFor(segment, columnOf, () => null),
        sum,
        piece.sign === 1 ? -1 : 1,
      );
    }
    if (this.#table.size > maxRows) throw tooManyRows();
    await nextTurn();
  }

  async #addRecords({ from, to, place }: PlacedPiece): Promise<void> {
    const segment = this.#segments[place];
    if (segment === undefined) return;
    let before: string | null = null;
    for (;;) {
      const limit = recordsAtOnce;
      const records: UsageRecord[] = await this.#store.list({ ...this.#filter, from, to }, { limit, before });
      for (const record of records) this.#addRecord(segment, record);
      this.#recordsRead += records.length;
      if (this.#table.size > maxRows) throw tooManyRows();
      if (this.#recordsRead > maxRecords) {
        throw invalidParameter("from", `a time that leaves at most ${maxRecords} records to be read one by one`);
      }
      before = records.at(-1)?.id ?? null;
      if (records.length < limit) return;
      await nextTurn();
    }
  }

  #addRecord(segment: Segment, record: UsageRecord): void {
    const { status, billing, usage, routing, attribution } = record;
    if (status === "pending") return;
    const columns = { model: record.model, endpoint: record.endpoint, status, provider: routing.provider ?? "" };
    const facets: readonly Facet[] = facetsOf(attribution);
    const row = this.#rowFor(
      segment,
      (column) => columns[column],
      (facet) => facets.find(({ name }) => name === facet)?.value ?? null,
    );
    const quantities = noQuantities();
    addQuantities(quantities, usage.dimensions);
    const errors = errorStatuses.includes(status) ? 1 : 0;
    addSums(row, { requests: 1, errors, amountMicrousd: billing.amountMicrousd, quantities });
  }

  /** The row of the table for these names. */
  #rowFor(segment: Segment, column: (name: Column) => string, facet: (name: FacetName) => string | null): SumRow {
    let unit = 0;
    const names = this.#by.map((key) => {
      if (isTimeUnit(key)) return segment.labels[unit++] ?? "";
      if (isColumn(key)) return key === "provider" ? column(key) || null : column(key);
      return facet(key);
    });
    return this.#table.row(names);
  }
}

/** A piece in parts that are not longer than `max`. */
function split(piece: PlacedPiece, max: number): PlacedPiece[] {
  const parts: PlacedPiece[] = [];
  for (let { from } = piece; from < piece.to; from += max) {
    parts.push({ ...piece, from, to: Math.min(piece.to, from + max) });
  }
  return parts;
}

function tooManyRows(): Error {
  return invalidParameter("by", `at most ${maxRows} rows: shorten the time from 'from' to 'to', or tell apart by less`);
}
