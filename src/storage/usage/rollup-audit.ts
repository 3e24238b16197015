import type { Finding } from "../../billing/audit.ts";
import { dimensionNames } from "../../dimensions.ts";
import type { CountedFacts } from "../../records/compact-record.ts";
import { type Facet, facetsOf } from "../../usage/facets.ts";
import {
  endOfSpan,
  errorStatuses,
  quarterMs,
  type RollupKind,
  rollupKinds,
  type RollupSpan,
  startOfSpan,
  toWhole,
} from "../../usage/rollup.ts";
import type { TimeRange } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { AuditQuery, ReadEach } from "../queries/read-each.ts";
import type { RequestRow } from "../schema.ts";
import { nameRecordDifferences, nameSumDifferences } from "./name-differences.ts";
import { rollupTables, sumColumns } from "./rollup-columns.ts";
import { type DayTotals, mixed, modulus, RollupChecksums } from "./rollup-checksums.ts";

/** A record as `countedColumns` have it. */
export interface CountedRow extends Pick<
  RequestRow,
  "status" | "created_at" | "amount_microusd" | "tags" | "end_user" | "session"
> {
  /** The key. */
  readonly place: string;
  /** All other names but the provider, which stands in the body. */
  readonly names: string;
}

/** Checks rollups with the records that it is given and the tables that it reads. Several threads may share the work. */
export interface RollupAudit {
  /** Adds a record, of any status. */
  add(row: CountedRow, counted: Pick<CountedFacts, "provider" | "dimensions" | "cacheSavedMicrousd">): void;
  /** Reads the sums of a kind. */
  read(of: RollupKind, readEach: ReadEach): Promise<void>;
  /** What was added and read. */
  totals(): RollupTotals;
  /** Adds the totals of another audit with the same salt. */
  merge(totals: RollupTotals): void;
  /** Compares the records with the sums of quarters of an hour, and those with the sums of longer spans. */
  compare(readEach: ReadEach, onFinding: (finding: Finding) => void): Promise<void>;
}

/** What checksums of one audit have in common, and nobody can guess. */
export interface RollupSalt {
  readonly seed: number;
  /** Of each sum: so that an error in one is not made good by the opposite one in another. */
  readonly weights: readonly number[];
}

/** Checksums as a thread hands them on: what each kind and span comes to, and what it should. */
export type RollupTotals = readonly {
  readonly of: RollupKind;
  readonly span: RollupSpan;
  readonly kept: DayTotals;
  readonly due: DayTotals;
}[];

interface SumsRow {
  readonly span: RollupSpan;
  readonly starts_at: number;
  /** The key, and the facet with its value. */
  readonly place: string;
  /** Empty for sums without names. */
  readonly names: string;
  readonly total: number;
}

const maxWeight = 64;
/** Names whose hashes are kept: a gateway has few models, accounts and endpoints. */
const maxKnownNames = 10_000;
/** Ends each name of a sum: no name has a control character, and a copy from Postgres need not escape this one. */
const separator = "\x1f";

/** Those with names before those without, which sum them up. */
export const allRollupKinds = ["names", "times", "facetNames", "facets"] as const satisfies readonly RollupKind[];

/** The columns of records that an audit of rollups needs. */
export function countedColumns(kind: StorageKind): string {
  const texts = `${joinedText(kind, ["key_id"])} as place,
    ${joinedText(kind, ["model", "account_id", "endpoint", "status"])} as names`;
  return `status, created_at, amount_microusd, tags, end_user, session, ${texts}`;
}

export function newRollupSalt(): RollupSalt {
  const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));
  const weights = [...crypto.getRandomValues(new Uint8Array(sumColumns.length))].map((byte) => 1 + (byte % maxWeight));
  return { seed, weights };
}

/**
 * Reads each record and each rollup once, in any order: what they come to is kept as checksums, and only if these differ is
 * it worked out which rollups are at fault.
 */
export function createRollupAudit(kind: StorageKind, { seed, weights }: RollupSalt): RollupAudit {
  const hashOf = (text: string) => Bun.hash.xxHash32(text, seed);
  // Few rows have these alone.
  const hashOfNames = remembered(hashOf);
  const hashOfPlace = remembered(hashOf);
  const tagsOfPlace = remembered((place) =>
    remembered((tags) =>
      facetsOf({ tags, endUser: null, session: null }).map((facet) => hashOf(placeOf(place, facet))),
    ),
  );
  const hashesOfTags = (place: string, tags: string) => tagsOfPlace(place)(tags);
  const [requestWeight = 1, errorWeight = 1, amountWeight = 1, savedWeight = 1, ...quantityWeights] = weights;
  const weightOf = new Map(dimensionNames.map((name, place) => [name, quantityWeights[place] ?? 1]));
  const perSpan = (of: RollupKind) =>
    new Map<RollupSpan, { readonly kept: RollupChecksums; readonly due: RollupChecksums }>(
      rollupKinds[of].spans.map((span) => [span, { kept: new RollupChecksums(), due: new RollupChecksums() }]),
    );
  /** What each kind and span comes to, and should come to by the records or by the sums that it sums up. */
  const checksums = {
    names: perSpan("names"),
    times: perSpan("times"),
    facetNames: perSpan("facetNames"),
    facets: perSpan("facets"),
  };
  const ofRecords = checksums.names.get(quarterMs)?.due;
  const ofFacets = checksums.facetNames.get(quarterMs)?.due;

  /** Compares the sums of one kind. */
  async function compareKind(of: RollupKind, readEach: ReadEach, onFinding: (finding: Finding) => void): Promise<void> {
    for (const [span, { kept, due }] of checksums[of]) {
      const days = kept.differenceFrom(due);
      if (!days) continue;
      const differing = {
        from: startOfSpan(span, days.from),
        to: endOfSpan(span, startOfSpan(span, days.to - 1)),
      };
      const isOfRecords = span === quarterMs && rollupKinds[of].hasNames;
      const named = await (isOfRecords
        ? nameRecordDifferences(kind, of, differing, readEach, onFinding)
        : nameSumDifferences(kind, of, span, differing, readEach, onFinding));
      if (named === 0) onFinding(unnamedFinding(of, span, differing));
    }
  }

  return {
    add(row, { provider, dimensions, cacheSavedMicrousd }) {
      if (row.status === "pending") return;
      let total = requestWeight + amountWeight * (row.amount_microusd % modulus);
      total += savedWeight * (cacheSavedMicrousd % modulus);
      if (errorStatuses.some((status) => status === row.status)) total += errorWeight;
      for (const dimension of dimensions) total += (weightOf.get(dimension.name) ?? 0) * (toWhole(dimension) % modulus);
      const { place, created_at: at } = row;
      const namesHash = hashOfNames(`${row.names}${provider ?? ""}${separator}`);
      const startsAt = at - (at % quarterMs);
      ofRecords?.add(startsAt, mixed(hashOfPlace(place), namesHash), total);
      if (row.tags !== null) {
        for (const hash of hashesOfTags(place, row.tags)) ofFacets?.add(startsAt, mixed(hash, namesHash), total);
      }
      for (const facet of facetsOf({ tags: null, endUser: row.end_user, session: row.session })) {
        ofFacets?.add(startsAt, mixed(hashOf(placeOf(place, facet)), namesHash), total);
      }
    },
    async read(of, readEach) {
      const { hasNames, hasFacet } = rollupKinds[of];
      const longer = [...checksums[of]].filter(([span]) => span !== quarterMs);
      // What they come to is due of those without names.
      const unnamed = hasNames ? checksums[hasFacet ? "facets" : "times"].get(quarterMs)?.due : undefined;
      await readEach(sumsQuery(kind, of, weights), (row) => {
        const { span, starts_at: startsAt, total } = row;
        const place = hashOf(row.place);
        const hash = hasNames ? mixed(place, hashOfNames(row.names)) : place;
        checksums[of].get(span)?.kept.add(startsAt, hash, total);
        if (span !== quarterMs) return;
        for (const [each, { due }] of longer) due.add(startOfSpan(each, startsAt), hash, total);
        unnamed?.add(startsAt, place, total);
      });
    },
    totals: () =>
      allRollupKinds.flatMap((of) =>
        [...checksums[of]].map(([span, { kept, due }]) => ({ of, span, kept: kept.days, due: due.days })),
      ),
    merge(totals) {
      for (const { of, span, kept, due } of totals) {
        const own = checksums[of].get(span);
        own?.kept.merge(kept);
        own?.due.merge(due);
      }
    },
    async compare(readEach, onFinding) {
      for (const of of allRollupKinds) await compareKind(of, readEach, onFinding);
    },
  };
}

/** Remembers what a function has made of the last texts. */
function remembered<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      if (known.size === maxKnownNames) known.clear();
      value = make(text);
      known.set(text, value);
    }
    return value;
  };
}

/** The text that says of which key and facet a sum is. */
const placeOf = (place: string, { name, value }: Facet) => `${place}${name}${separator}${value}${separator}`;

/** Names as one text, each with its end. */
function joinedText(kind: StorageKind, columns: readonly string[]): string {
  const end = kind === "postgres" ? "|| chr(31)" : "|| char(31)";
  return columns.map((column) => `${column} ${end}`).join(" || ") || "''";
}

/** All rollups of a kind, each with what it is of as two texts and its sums as one number. */
function sumsQuery(kind: StorageKind, of: RollupKind, weights: readonly number[]): AuditQuery<SumsRow> {
  const { name, identity } = rollupTables[of];
  const columns = identity.filter((column) => column !== "span" && column !== "starts_at");
  const placeCount = rollupKinds[of].hasFacet ? 3 : 1;
  // Each is reduced by itself: weighted sums might not fit into 64 bits.
  const total = sumColumns.map((column, place) => `${column} % ${modulus} * ${weights[place]}`).join(" + ");
  return `select span, starts_at, ${joinedText(kind, columns.slice(0, placeCount))} as place,
    ${joinedText(kind, columns.slice(placeCount))} as names, ${total} as total from ${name}`;
}

function unnamedFinding(of: RollupKind, span: RollupSpan, { from, to }: TimeRange): Finding {
  const time = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
  const message = `its sums of ${span / 60_000} minutes from ${time} differ from what they sum up`;
  return { kind: "rollup", subject: rollupTables[of].name, message };
}
