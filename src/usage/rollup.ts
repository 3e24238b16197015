import { dimensionNames, unitOf } from "../dimensions.ts";
import type { CompactRecord } from "../records/compact-record.ts";
import type { Dimension } from "../metering/usage.ts";
import { type Facet, facetsOf } from "./facets.ts";

/** Records are added up by quarters of an hour, at which every time zone begins its days, and by hours and days in UTC. */
export const quarterMs = 900_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
/** Longest first. */
export const spans = [dayMs, hourMs, quarterMs] as const;
export type RollupSpan = (typeof spans)[number];
/** The spans of sums by facet. A value has few records an hour, so that hours would cost a row for almost each record. */
export const facetSpans = [dayMs, quarterMs] as const;

/** What the final records of one key within a span of time add up to, for one account, model, endpoint, status and provider. */
export interface Rollup {
  readonly span: RollupSpan;
  /** Milliseconds since 1970: a multiple of the span. */
  readonly startsAt: number;
  readonly keyId: string;
  readonly accountId: string;
  readonly model: string;
  readonly endpoint: string;
  readonly status: string;
  /** Empty if no provider was called. */
  readonly provider: string;
  /** The sum counts only records with this facet; null if it counts all. */
  readonly facet: Facet | null;
  readonly requests: number;
  readonly amountMicrousd: number;
  /** In the order of `dimensionNames`, as `toWhole` has them. */
  readonly quantities: readonly number[];
}

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
    const provider = counted.provider ?? "";
    const identity = `${startsAt}\n${identityOf(facet, { keyId, accountId, model, endpoint, status, provider })}`;
    let rollup = this.#quarters.get(identity);
    if (rollup === undefined) {
      const names = { keyId, accountId, model, endpoint, status, provider, facet };
      rollup = { span: quarterMs, startsAt, ...names, requests: 0, amountMicrousd: 0, quantities: noQuantities() };
      this.#quarters.set(identity, rollup);
    }
    rollup.requests += 1;
    rollup.amountMicrousd += record.amountMicrousd;
    addQuantities(rollup.quantities, counted.dimensions);
  }

  get size(): number {
    return this.#quarters.size;
  }

  clear(): void {
    this.#quarters.clear();
  }

  /** The sums of all spans. */
  rollups(): Rollup[] {
    const quarters = [...this.#quarters.values()];
    const plain = quarters.filter(({ facet }) => facet === null);
    return [...quarters, ...addUp(plain, hourMs), ...addUp(quarters, dayMs)];
  }
}

/** The sums of a longer span. */
function addUp(rollups: readonly Rollup[], span: RollupSpan): Rollup[] {
  const sums = new Map<string, MutableRollup>();
  for (const rollup of rollups) {
    const startsAt = rollup.startsAt - (rollup.startsAt % span);
    const identity = `${startsAt}\n${identityOf(rollup.facet, rollup)}`;
    const sum = sums.get(identity);
    if (sum === undefined) {
      sums.set(identity, { ...rollup, span, startsAt, quantities: [...rollup.quantities] });
      continue;
    }
    sum.requests += rollup.requests;
    sum.amountMicrousd += rollup.amountMicrousd;
    addWholes(sum.quantities, rollup.quantities);
  }
  return [...sums.values()];
}

type Names = Pick<Rollup, "keyId" | "accountId" | "model" | "endpoint" | "status" | "provider">;

/** All names of a sum as one text. None of them has a line feed but what callers send, and those come last. */
function identityOf(facet: Facet | null, { keyId, accountId, model, endpoint, status, provider }: Names): string {
  const names = `${keyId}\n${accountId}\n${status}\n${provider}\n${endpoint}\n${model.length}\n${model}`;
  return facet === null ? names : `${names}\n${facet.name.length}\n${facet.name}\n${facet.value}`;
}

export function noQuantities(): number[] {
  return Array.from({ length: dimensionNames.length }, () => 0);
}

/** Adds to each sum of `sums`. */
export function addWholes(sums: number[], added: readonly number[]): void {
  added.forEach((quantity, place) => (sums[place] = (sums[place] ?? 0) + quantity));
}
