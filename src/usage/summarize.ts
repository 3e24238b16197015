import { invalidParameter } from "../errors.ts";
import type { UsageRecord } from "../records/record.ts";
import { nextTurn } from "../next-turn.ts";
import { cutAt, type Segment } from "./calendar.ts";
import { type Facet, type FacetName, facetsOf } from "./facets.ts";
import { type Piece, piecesOf, spansIn } from "./pieces.ts";
import {
  addDurations,
  addQuantities,
  dayMs,
  endOfSpan,
  errorStatuses,
  rollupKinds,
  type RollupKind,
  type RollupSpan,
  startOfSpan,
  startsIn,
} from "./rollup.ts";
import { addRow, addSums, noSums, type SumRow, type Sums, SumTable } from "./sum-table.ts";
import { type Column, isColumn, isTimeUnit, type SummaryKey, type SummaryQuery } from "./summary-query.ts";
import type { RecordFilter, RollupColumn, RollupQuery, TimeRange, UsageStore } from "./usage-store.ts";

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
/** How much longer a sum with histograms takes to read. */
const histogramFactor = 4;

/**
 * Adds up final records, from rollups where they suffice: months, days, hours and quarters of an hour are sums already, what is
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
    await new Summing(store, query, keyIds, extent, segments, table).run();
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

/** What is read in one go. */
interface Read {
  readonly kind: RollupKind;
  readonly span: RollupSpan;
  readonly facet: RollupQuery["facet"];
  readonly pieces: readonly PlacedPiece[];
  readonly keyIds: readonly string[];
}

/** One summary being added up. */
class Summing {
  readonly #store: UsageStore;
  readonly #filter: RecordFilter;
  readonly #by: readonly SummaryKey[];
  readonly #keyIds: readonly string[];
  /** There is nothing beyond it. */
  readonly #extent: TimeRange;
  readonly #segments: readonly Segment[];
  readonly #table: SumTable;
  /** The facets by which rows are told apart. */
  readonly #facets: readonly FacetName[];
  readonly #withDurations: boolean;
  #recordsRead = 0;

  constructor(
    store: UsageStore,
    { filter, by, withDurations }: SummaryQuery,
    keyIds: readonly string[],
    extent: TimeRange,
    segments: readonly Segment[],
    table: SumTable,
  ) {
    this.#store = store;
    this.#filter = filter;
    this.#by = by;
    this.#withDurations = withDurations;
    this.#keyIds = keyIds;
    this.#extent = extent;
    this.#segments = segments;
    this.#table = table;
    this.#facets = by.filter((key): key is FacetName => !isTimeUnit(key) && !isColumn(key));
  }

  async run(): Promise<void> {
    const names = new Set([...this.#facets, ...this.#filter.facets.map(({ name }) => name)]);
    if (names.size > 1 || this.#filter.facets.length > 1) {
      for (const [place, { from, to }] of this.#segments.entries()) {
        await this.#addRecords({ span: null, from, to, sign: 1, place });
      }
      return;
    }
    const { accountId, model, endpoint, statuses, provider } = this.#filter;
    const isFiltered = [accountId, model, endpoint, statuses, provider].some((name) => name !== null);
    // Sums without names know their key.
    const hasNames = isFiltered || this.#by.some((key) => isColumn(key) && key !== "key");
    const ofAll = hasNames ? "names" : "times";
    const ofFacet = hasNames ? "facetNames" : "facets";
    const [name] = this.#facets;
    const [selected] = this.#filter.facets;
    const facet = name === undefined ? (selected ?? null) : { name, value: selected?.value ?? null };
    const pieces = this.#piecesOf(facet === null ? ofAll : ofFacet);
    const reads = this.#readsOf(facet === null ? ofAll : ofFacet, facet, pieces);
    // What has no such facet is the rest of all.
    if (facet !== null && facet.value === null) reads.push(...this.#readsOf(ofAll, null, this.#piecesOf(ofAll)));
    await this.#addSums(reads);
    for (const piece of pieces) if (piece.span === null) await this.#addRecords(piece);
  }

  /** The pieces of all segments. Spans may reach beyond what there is, if fewer are read by that. */
  #piecesOf(kind: RollupKind): PlacedPiece[] {
    const { spans } = rollupKinds[kind];
    const [longest] = spans;
    const { from, to } = this.#extent;
    const lastDay = to - dayMs;
    const least = startOfSpan(longest, from);
    const most = endOfSpan(longest, startOfSpan(longest, lastDay));
    return this.#segments.flatMap((segment, place) => {
      const wide = { from: segment.from === from ? least : segment.from, to: segment.to === to ? most : segment.to };
      let pieces = piecesOf(segment, spans, lastDay);
      if (wide.from < segment.from || wide.to > segment.to) {
        const others = piecesOf(wide, spans, lastDay);
        if (spansIn(others) < spansIn(pieces)) pieces = others;
      }
      return pieces.map((piece) => ({ ...piece, place }));
    });
  }

  #readsOf(kind: RollupKind, facet: RollupQuery["facet"], pieces: readonly PlacedPiece[]): Read[] {
    return rollupKinds[kind].spans.flatMap((span) => {
      const some = pieces.filter((piece) => piece.span === span);
      return [...this.#batches(kind, span, some)].map((batch) => ({ kind, span, facet, ...batch }));
    });
  }

  /** Parts of the work that the store does in one go. */
  *#batches(
    kind: RollupKind,
    span: RollupSpan,
    pieces: readonly PlacedPiece[],
  ): Generator<Pick<Read, "pieces" | "keyIds">> {
    const most = this.#store.spansAtOnce(kind);
    const max = this.#withDurations ? Math.ceil(most / histogramFactor) : most;
    const parts = pieces.flatMap((piece) => split(piece, span, max));
    for (let first = 0; first < parts.length;) {
      let times = 0;
      let after = first;
      for (; after < parts.length; after += 1) {
        const more = parts[after]?.times ?? 0;
        if (after > first && times + more > max) break;
        times += more;
      }
      const some = parts.slice(first, after);
      const keysAtOnce = Math.max(1, Math.floor(max / times));
      for (let key = 0; key < this.#keyIds.length; key += keysAtOnce) {
        yield { pieces: some, keyIds: this.#keyIds.slice(key, key + keysAtOnce) };
      }
      first = after;
    }
  }

  /** Reads as many at the same time as the store wants. */
  async #addSums(reads: readonly Read[]): Promise<void> {
    const left = reads.values();
    const readOn = async () => {
      for (const read of left) await this.#addSum(read);
    };
    await Promise.all(Array.from({ length: this.#store.readsAtOnce }, readOn));
  }

  /** Adds what has a facet, or all if that is null. If any value of it counts, that is taken from the rows without one. */
  async #addSum(read: Read): Promise<void> {
    const { kind, span, pieces, keyIds, facet } = read;
    const columns = this.#by.filter(isColumn);
    const isByValue = facet !== null && this.#facets.length > 0;
    const by: RollupColumn[] = isByValue ? [...columns, "value"] : columns;
    const limit = maxRows + 1;
    const withDurations = this.#withDurations;
    const query = { kind, span, ranges: pieces, keyIds, filter: this.#filter, facet, by, limit, withDurations };
    const sums = await this.#store.sumRollups(query);
    if (sums.count > maxRows) {
      if (pieces.length === 1) throw tooManyRows();
      const half = pieces.length >> 1;
      await this.#addSum({ ...read, pieces: pieces.slice(0, half) });
      return this.#addSum({ ...read, pieces: pieces.slice(half) });
    }
    // Where the names of a row stand: a time is its segment's.
    const sources = this.#by.map((key) =>
      isTimeUnit(key) ? null : sums.names[isColumn(key) ? by.indexOf(key) : columns.length],
    );
    const rowOf = (segment: Segment, row: number, isRest: boolean): SumRow => {
      let unit = 0;
      const names: (string | null)[] = [];
      for (let place = 0; place < sources.length; place += 1) {
        const key = this.#by[place];
        const source = sources[place];
        if (source === null) names.push(segment.labels[unit++] ?? "");
        else if (key === "provider") names.push(source?.[row] || null);
        else if (key !== undefined && isColumn(key)) names.push(source?.[row] ?? "");
        else names.push(isRest ? null : (source?.[row] ?? null));
      }
      return this.#table.row(names);
    };
    const hasRest = isByValue && facet.value === null;
    /** The rest of each segment, if it is not told apart further. */
    const rests = new Map<Segment, SumRow>();
    for (let row = 0; row < sums.count; row += 1) {
      const piece = pieces[sums.ranges[row] ?? -1];
      const segment = this.#segments[piece?.place ?? -1];
      if (piece === undefined || segment === undefined) continue;
      addRow(rowOf(segment, row, !isByValue), sums, row, piece.sign);
      if (!hasRest) continue;
      let rest = columns.length === 0 ? rests.get(segment) : undefined;
      if (rest === undefined) rests.set(segment, (rest = rowOf(segment, row, true)));
      addRow(rest, sums, row, piece.sign === 1 ? -1 : 1);
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
    const { keyId: key, accountId: account, model, endpoint } = record;
    const columns = { key, account, model, endpoint, status, provider: routing.provider ?? "" };
    const facets: readonly Facet[] = facetsOf(attribution);
    const row = this.#rowFor(
      segment,
      (column) => columns[column],
      (facet) => facets.find(({ name }) => name === facet)?.value ?? null,
    );
    row.requests += 1;
    if (errorStatuses.includes(status)) row.errors += 1;
    row.amountMicrousd += billing.amountMicrousd;
    row.cacheSavedMicrousd += billing.cacheSavedMicrousd ?? 0;
    addQuantities(row.quantities, usage.dimensions);
    if (this.#withDurations && status === "succeeded") addDurations(row.durations, routing);
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

/** A piece in parts of at most `max` spans, each with how many it has. */
function split(piece: PlacedPiece, span: RollupSpan, max: number): (PlacedPiece & { readonly times: number })[] {
  const starts = startsIn(span, piece.from, piece.to);
  return Array.from({ length: Math.ceil(starts.length / max) }, (_, part) => {
    const times = Math.min(max, starts.length - part * max);
    const from = starts[part * max] ?? piece.from;
    return { ...piece, from, to: starts[part * max + times] ?? piece.to, times };
  });
}

function tooManyRows(): Error {
  return invalidParameter("by", `at most ${maxRows} rows: shorten the time from 'from' to 'to', or tell apart by less`);
}
