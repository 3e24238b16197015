import { dimensionNames, unitOf } from "../dimensions.ts";
import type { CompactRecord } from "../records/compact-record.ts";
import type { Dimension } from "../metering/usage.ts";
import type { RecordStatus } from "../records/record.ts";
import { type Facet, facetsOf } from "./facets.ts";
import { addCount, addHistogram, bucketOf, type Histogram } from "./histogram.ts";

/** Records are added up by quarters of an hour, at which every time zone begins its days, and by longer spans in UTC. */
export const quarterMs = 900_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
/** 31 days: names a calendar month of UTC, however long it is. */
export const monthMs = 2_678_400_000;
export type RollupSpan = typeof quarterMs | typeof hourMs | typeof dayMs | typeof monthMs;

/** The first instant of the span that contains `at`, in milliseconds since 1970. */
export function startOfSpan(span: RollupSpan, at: number): number {
  if (span !== monthMs) return at - (at % span);
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** The first instant after the span that begins at `startsAt`. */
export function endOfSpan(span: RollupSpan, startsAt: number): number {
  return span === monthMs ? startOfSpan(monthMs, startsAt + monthMs) : startsAt + span;
}

/** The beginnings of all spans in a range that begins and ends with spans. */
export function startsIn(span: RollupSpan, from: number, to: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < to; at = endOfSpan(span, at)) starts.push(at);
  return starts;
}

/**
 * What rollups are kept: of all records or of those with some facet, each with names and without. Sums without names are
 * few, so that long times and many values of a facet are quick to read.
 */
export const rollupKinds = {
  names: { hasNames: true, hasFacet: false, spans: [dayMs, hourMs, quarterMs] },
  times: { hasNames: false, hasFacet: false, spans: [dayMs, quarterMs] },
  /** A value has few records an hour, so that hours would cost a row for almost each record. */
  facetNames: { hasNames: true, hasFacet: true, spans: [dayMs, quarterMs] },
  facets: { hasNames: false, hasFacet: true, spans: [monthMs, dayMs, quarterMs] },
} as const satisfies Readonly<
  Record<string, { hasNames: boolean; hasFacet: boolean; /** Longest first. */ spans: readonly RollupSpan[] }>
>;
export type RollupKind = keyof typeof rollupKinds;

/** What tells the records of a key apart. */
export interface RollupNames {
  readonly accountId: string;
  readonly model: string;
  readonly endpoint: string;
  readonly status: RecordStatus;
  /** Empty if no provider was called. */
  readonly provider: string;
}

/** What the final records of one key within a span of time add up to. */
export interface Rollup {
  readonly kind: RollupKind;
  readonly span: RollupSpan;
  /** Milliseconds since 1970: the beginning of the span. */
  readonly startsAt: number;
  readonly keyId: string;
  /** The sum counts only records with these names; null if it counts all. */
  readonly names: RollupNames | null;
  /** The sum counts only records with this facet; null if it counts all. */
  readonly facet: Facet | null;
  readonly requests: number;
  /** Those of the requests that failed or were refused. */
  readonly errors: number;
  readonly amountMicrousd: number;
  /** What reads from caches saved. */
  readonly cacheSavedMicrousd: number;
  /** In the order of `dimensionNames`, as `toWhole` has them. */
  readonly quantities: readonly number[];
  /** Of a single request: what has less can be passed over if more is looked for. */
  readonly maxAmountMicrousd: number;
  readonly maxLatencyMs: number;
  /** Of the requests that succeeded; null for sums of a facet, which have none. */
  readonly durations: Durations | null;
}

/** How long requests took, and how long their callers waited for the first byte. */
export interface Durations {
  readonly latencies: Histogram;
  readonly firstBytes: Histogram;
}

export function noDurations(): Durations {
  return { latencies: [], firstBytes: [] };
}

/** Adds one request that succeeded. */
export function addDurations(
  { latencies, firstBytes }: Durations,
  { latencyMs, timeToFirstByteMs }: { readonly latencyMs: number; readonly timeToFirstByteMs: number | null },
): void {
  addCount(latencies, bucketOf(latencyMs), 1);
  if (timeToFirstByteMs !== null) addCount(firstBytes, bucketOf(timeToFirstByteMs), 1);
}

/** Statuses that count as errors. */
export const errorStatuses: readonly RecordStatus[] = ["failed", "refused"];

/** Millionths of a second: sums of whole numbers are exact in any order. */
const secondParts = 1_000_000;

/** A quantity as the whole number that rollups add up. */
export function toWhole({ unit, quantity }: Pick<Dimension, "unit" | "quantity">): number {
  return unit === "second" ? Math.round(quantity * secondParts) : quantity;
}

/** The quantity of a sum of such whole numbers. */
export function fromWhole(name: Dimension["name"], sum: number): number {
  return unitOf(name) === "second" ? sum / secondParts : sum;
}

const zeros: readonly number[] = dimensionNames.map(() => 0);
const places = new Map(dimensionNames.map((name, place) => [name, place]));

/** Adds to `quantities`, which are in the order of `dimensionNames`. */
export function addQuantities(quantities: number[], dimensions: readonly Dimension[]): void {
  for (const dimension of dimensions) {
    const place = places.get(dimension.name);
    if (place !== undefined) quantities[place] = (quantities[place] ?? 0) + toWhole(dimension);
  }
}

type MutableRollup = { -readonly [Field in keyof Rollup]: Rollup[Field] } & { quantities: number[] };

/** Adds up the records of one transaction, so that each row is written once. */
export class RollupBatch {
  /** By names, of quarters of an hour: all others are sums of these. */
  readonly #quarters = new Map<string, MutableRollup>();

  /** Adds a record that is final now and has not been added before. A pending one is not counted yet. */
  add(record: CompactRecord): void {
    if (record.status === "pending") return;
    this.#addTo(null, record);
    for (const facet of facetsOf(record)) this.#addTo(facet, record);
  }

  #addTo(facet: Facet | null, record: CompactRecord): void {
    const { keyId, accountId, model, endpoint, status, createdAt, counted } = record;
    const startsAt = createdAt - (createdAt % quarterMs);
    const names = { accountId, model, endpoint, status, provider: counted.provider ?? "" };
    const identity = identityOf(startsAt, keyId, names, facet);
    let rollup = this.#quarters.get(identity);
    if (rollup === undefined) {
      const kind = facet === null ? "names" : "facetNames";
      const sums = { requests: 0, errors: 0, amountMicrousd: 0, cacheSavedMicrousd: 0, quantities: noQuantities() };
      const greatest = { maxAmountMicrousd: 0, maxLatencyMs: 0 };
      const durations = facet === null ? noDurations() : null;
      rollup = { kind, span: quarterMs, startsAt, keyId, names, facet, ...sums, ...greatest, durations };
      this.#quarters.set(identity, rollup);
    }
    rollup.requests += 1;
    if (errorStatuses.includes(status)) rollup.errors += 1;
    rollup.amountMicrousd += record.amountMicrousd;
    rollup.cacheSavedMicrousd += counted.cacheSavedMicrousd;
    addQuantities(rollup.quantities, counted.dimensions);
    rollup.maxAmountMicrousd = Math.max(rollup.maxAmountMicrousd, record.amountMicrousd);
    rollup.maxLatencyMs = Math.max(rollup.maxLatencyMs, counted.latencyMs);
    if (rollup.durations !== null && status === "succeeded") addDurations(rollup.durations, counted);
  }

  get size(): number {
    return this.#quarters.size;
  }

  clear(): void {
    this.#quarters.clear();
  }

  /** The sums of all kinds and spans. */
  rollups(): Rollup[] {
    const quarters = [...this.#quarters.values()];
    const rollups: Rollup[] = [];
    for (const hasFacet of [false, true]) {
      const named = quarters.filter(({ facet }) => (facet !== null) === hasFacet);
      if (named.length === 0) continue;
      const [withNames, without] = hasFacet ? (["facetNames", "facets"] as const) : (["names", "times"] as const);
      rollups.push(...named);
      for (const span of rollupKinds[withNames].spans) {
        if (span !== quarterMs) rollups.push(...addUp(named, withNames, span));
      }
      const unnamed = addUp(named, without, quarterMs);
      rollups.push(...unnamed);
      for (const span of rollupKinds[without].spans) {
        if (span !== quarterMs) rollups.push(...addUp(unnamed, without, span));
      }
    }
    return rollups;
  }
}

/** The sums of one kind and span. */
function addUp(rollups: readonly Rollup[], kind: RollupKind, span: RollupSpan): Rollup[] {
  const { hasNames } = rollupKinds[kind];
  const [first] = rollups;
  // Mostly the records of a transaction are of one quarter of an hour, and so are its sums.
  if (first?.kind === kind && rollups.every(({ startsAt }) => startsAt === first.startsAt)) {
    const startsAt = startOfSpan(span, first.startsAt);
    return rollups.map((rollup) => ({ ...rollup, span, startsAt }));
  }
  const sums = new Map<string, MutableRollup>();
  for (const rollup of rollups) {
    const startsAt = startOfSpan(span, rollup.startsAt);
    const names = hasNames ? rollup.names : null;
    const identity = identityOf(startsAt, rollup.keyId, names, rollup.facet);
    const sum = sums.get(identity);
    if (sum === undefined) {
      const durations = rollup.durations && copyOfDurations(rollup.durations);
      sums.set(identity, { ...rollup, kind, span, startsAt, names, quantities: [...rollup.quantities], durations });
      continue;
    }
    sum.requests += rollup.requests;
    sum.errors += rollup.errors;
    sum.amountMicrousd += rollup.amountMicrousd;
    sum.cacheSavedMicrousd += rollup.cacheSavedMicrousd;
    addWholes(sum.quantities, rollup.quantities);
    sum.maxAmountMicrousd = Math.max(sum.maxAmountMicrousd, rollup.maxAmountMicrousd);
    sum.maxLatencyMs = Math.max(sum.maxLatencyMs, rollup.maxLatencyMs);
    if (sum.durations !== null && rollup.durations !== null) mergeDurations(sum.durations, rollup.durations);
  }
  return [...sums.values()];
}

export function copyOfDurations({ latencies, firstBytes }: Durations): Durations {
  return { latencies: [...latencies], firstBytes: [...firstBytes] };
}

function mergeDurations(to: Durations, added: Durations): void {
  addHistogram(to.latencies, added.latencies);
  addHistogram(to.firstBytes, added.firstBytes);
}

/** What tells a sum apart, as one text. Only what callers send may have a line feed: its length comes before it. */
function identityOf(startsAt: number, keyId: string, names: RollupNames | null, facet: Facet | null): string {
  let identity = `${startsAt}\n${keyId}`;
  if (facet !== null) identity += `\n${facet.name}\n${facet.value.length}\n${facet.value}`;
  if (names === null) return identity;
  const { accountId, model, endpoint, status, provider } = names;
  return `${identity}\n${accountId}\n${status}\n${provider}\n${model.length}\n${model}\n${endpoint}`;
}

export function noQuantities(): number[] {
  return zeros.slice();
}

/** Adds to each sum of `sums`, or takes off. */
export function addWholes(sums: number[], added: readonly number[], sign: 1 | -1 = 1): void {
  for (let place = 0; place < added.length; place += 1) {
    const quantity = added[place] ?? 0;
    if (quantity !== 0) sums[place] = (sums[place] ?? 0) + sign * quantity;
  }
}
