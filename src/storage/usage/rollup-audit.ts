import type { Finding } from "../../billing/audit.ts";
import { dimensionNames } from "../../dimensions.ts";
import type { CountedFacts } from "../../records/compact-record.ts";
import { facetsOf } from "../../usage/facets.ts";
import { quarterMs, type RollupSpan, spans, toWhole } from "../../usage/rollup.ts";
import type { TimeRange } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { AuditQuery, ReadEach } from "../queries/read-each.ts";
import type { RequestRow } from "../schema.ts";
import { nameRecordDifferences, nameSpanDifferences } from "./name-differences.ts";
import { facetTable, plainTable, type RollupTable, sumColumns } from "./rollup-columns.ts";
import { RollupChecksums } from "./rollup-checksums.ts";

type CountedRow = Pick<
  RequestRow,
  | "key_id"
  | "account_id"
  | "model"
  | "endpoint"
  | "status"
  | "created_at"
  | "amount_microusd"
  | "tags"
  | "end_user"
  | "session"
>;

/** Checks rollups with the records that it is given and the tables that it reads. */
export interface RollupAudit {
  /** Adds a record, of any status. */
  add(row: CountedRow, counted: CountedFacts): void;
  /** Compares what was added with the sums of quarters of an hour, and those with the sums of longer spans. */
  finish(readEach: ReadEach, onFinding: (finding: Finding) => void): Promise<void>;
}

interface SumsRow {
  readonly span: RollupSpan;
  readonly starts_at: number;
  readonly names: string;
  readonly total: number;
}

const nameColumns = ["key_id", "account_id", "status", "provider", "endpoint", "model"];
const maxWeight = 64;

/**
 * Reads each record and each rollup once, in any order: what they come to is kept as checksums, and only if these differ is
 * it worked out which rollups are at fault.
 */
export function createRollupAudit(kind: StorageKind): RollupAudit {
  const [seed = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  // Each sum counts with a weight of its own, so that an error in one is not made good by the opposite one in another.
  const weights = [...crypto.getRandomValues(new Uint8Array(sumColumns.length))].map((byte) => 1 + (byte % maxWeight));
  const [requestWeight = 1, amountWeight = 1, ...quantityWeights] = weights;
  const weightOf = new Map(dimensionNames.map((name, place) => [name, quantityWeights[place] ?? 1]));
  const checksums = () => new RollupChecksums(seed);
  const plain = checksums();
  const faceted = checksums();

  async function compare(
    table: RollupTable,
    records: RollupChecksums,
    readEach: ReadEach,
    onFinding: (finding: Finding) => void,
  ): Promise<void> {
    const kept = new Map(spans.map((span) => [span, checksums()]));
    const summed = new Map(spans.map((span) => [span, checksums()]));
    const longer = table.spans.filter((span) => span !== quarterMs);
    await readEach(sumsQuery(kind, table, weights), ({ span, starts_at: startsAt, names, total }) => {
      kept.get(span)?.add(startsAt, names, total);
      if (span !== quarterMs) return;
      for (const each of longer) summed.get(each)?.add(startsAt - (startsAt % each), names, total);
    });
    for (const span of table.spans) {
      const due = span === quarterMs ? records : summed.get(span);
      const differing = due && kept.get(span)?.differenceFrom(due);
      if (!differing) continue;
      const named = await (span === quarterMs
        ? nameRecordDifferences(kind, table, differing, readEach, onFinding)
        : nameSpanDifferences(table, span, differing, readEach, onFinding));
      if (named === 0) onFinding(unnamed(table, span, differing));
    }
  }

  return {
    add(row, { provider, dimensions }) {
      if (row.status === "pending") return;
      let total = requestWeight + amountWeight * row.amount_microusd;
      for (const dimension of dimensions) total += (weightOf.get(dimension.name) ?? 0) * toWhole(dimension);
      const { key_id, account_id, status, endpoint, model, created_at: at } = row;
      const names = `${key_id}\n${account_id}\n${status}\n${provider ?? ""}\n${endpoint}\n${model}`;
      const startsAt = at - (at % quarterMs);
      plain.add(startsAt, names, total);
      for (const { name, value } of facetsOf({ tags: row.tags, endUser: row.end_user, session: row.session })) {
        faceted.add(startsAt, `${names}\n${name}\n${value}`, total);
      }
    },
    async finish(readEach, onFinding) {
      await compare(plainTable, plain, readEach, onFinding);
      await compare(facetTable, faceted, readEach, onFinding);
    },
  };
}

/** All rollups of a table, each with its names as one text and its sums as one number. */
function sumsQuery(kind: StorageKind, table: RollupTable, weights: readonly number[]): AuditQuery<SumsRow> {
  const columns = table === plainTable ? nameColumns : [...nameColumns, "facet", "value"];
  const names = columns.join(kind === "postgres" ? " || chr(10) || " : " || char(10) || ");
  const total = sumColumns.map((column, place) => `${column} * ${weights[place]}`).join(" + ");
  return `select span, starts_at, ${names} as names, ${total} as total from ${table.name}`;
}

function unnamed(table: RollupTable, span: RollupSpan, { from, to }: TimeRange): Finding {
  const time = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
  const message = `its sums of ${span / 60_000} minutes from ${time} differ from what they sum up`;
  return { kind: "rollup", subject: table.name, message };
}
