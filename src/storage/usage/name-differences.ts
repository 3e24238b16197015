import { dimensionNames, sideOf, unitOf } from "../../dimensions.ts";
import type { Finding } from "../../billing/audit.ts";
import { errorStatuses, quarterMs, type RollupKind, rollupKinds, type RollupSpan } from "../../usage/rollup.ts";
import type { TimeRange } from "../../usage/usage-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { AuditQuery, ReadEach } from "../queries/read-each.ts";
import { type RollupTable, rollupTables, sumColumns } from "./rollup-columns.ts";
import { startOfSpanIn } from "./span-sql.ts";

/** Sums that do not agree with what they sum up: of each the one kept, and the one worked out. */
type Difference = Readonly<Record<string, number>> & { readonly subject: string };

/** Names the rollups of quarters of an hour that do not agree with the records, and returns how many findings that makes. */
export async function nameRecordDifferences(
  kind: StorageKind,
  of: RollupKind,
  range: TimeRange,
  readEach: ReadEach,
  onFinding: (finding: Finding) => void,
): Promise<number> {
  let found = 0;
  await readEach(recordDifferences(kind, rollupTables[of], range), (row) => {
    found += report(row, "the records", onFinding);
  });
  return found;
}

/** The same of sums that do not agree with the sums of quarters of an hour that they sum up. */
export async function nameSumDifferences(
  kind: StorageKind,
  of: RollupKind,
  span: RollupSpan,
  range: TimeRange,
  readEach: ReadEach,
  onFinding: (finding: Finding) => void,
): Promise<number> {
  const withNames = rollupKinds[of].hasFacet ? "facetNames" : "names";
  const source = rollupTables[span === quarterMs ? withNames : of];
  let found = 0;
  await readEach(sumDifferences(kind, rollupTables[of], source, span, range), (row) => {
    found += report(row, "its quarters of an hour", onFinding);
  });
  return found;
}

function report(row: Difference, of: string, onFinding: (finding: Finding) => void): number {
  let found = 0;
  for (const { name, what } of comparedSums) {
    const kept = row[`kept_${name}`];
    const summed = row[`summed_${name}`];
    if (kept === undefined || kept === summed) continue;
    onFinding({
      kind: "rollup",
      subject: row.subject,
      message: `its ${what} come to ${kept}, but those of ${of} to ${summed}`,
    });
    found += 1;
  }
  return found;
}

const tokensOn = (side: "input" | "output"): string =>
  dimensionNames
    .filter((name) => unitOf(name) === "token" && (sideOf(name) === "output") === (side === "output"))
    .map((name) => `sum_${name}`)
    .join(" + ");

/** What caches saved of records, which stands in their bodies. */
const savedIn: Readonly<Record<StorageKind, string>> = {
  sqlite: "coalesce(sum(json_extract(body, '$[23]')), 0)",
  postgres: "coalesce(sum((body::json ->> 23)::bigint), 0)",
};

/** What is compared: its name, the expression of the rollups, and that of the records, for each database if they differ. */
const comparedSums = [
  { name: "requests", what: "requests", kept: "requests", summed: "count(*)" },
  {
    name: "errors",
    what: "errors",
    kept: "errors",
    summed: `sum(case when status in (${errorStatuses.map((status) => `'${status}'`).join(", ")}) then 1 else 0 end)`,
  },
  { name: "amount", what: "amounts", kept: "amount_microusd", summed: "sum(amount_microusd)" },
  { name: "saved", what: "savings of caches", kept: "cache_saved_microusd", summed: savedIn },
  { name: "read", what: "tokens read", kept: tokensOn("input"), summed: "sum(input_tokens)" },
  { name: "written", what: "tokens written", kept: tokensOn("output"), summed: "sum(output_tokens)" },
  { name: "all", what: "sums", kept: sumColumns.join(" + "), summed: null },
] as const;

const names = ({ identity }: RollupTable): string[] => identity.filter((column) => column !== "span");

/** What the final records add up to, by the names of a table. */
function recordsOf(kind: StorageKind, table: RollupTable, range: TimeRange): string {
  const isPostgres = kind === "postgres";
  const provider = isPostgres ? "body::json ->> 11" : "json_extract(body, '$[11]')";
  const eachTag = isPostgres ? "lateral json_each_text(requests.tags::json)" : "json_each(requests.tags)";
  const facetRows = (from: string, facet: string, value: string) =>
    `select requests.*, ${facet} as facet, ${value} as value from ${from} where ${value} is not null`;
  const source = !rollupKinds[table.kind].hasFacet
    ? "requests"
    : `(${[
        facetRows(`requests cross join ${eachTag} as tag`, "'tag:' || tag.key", "tag.value"),
        facetRows("requests", "'end_user'", "end_user"),
        facetRows("requests", "'session'", "session"),
      ].join(" union all ")}) as requests`;
  const columns = names(table).map((column) => {
    if (column === "starts_at") return `created_at - created_at % ${quarterMs} as starts_at`;
    return column === "provider" ? `coalesce(${provider}, '') as provider` : column;
  });
  const places = columns.map((_column, place) => place + 1).join(", ");
  const sums = comparedSums.flatMap(({ name, summed }) =>
    summed === null ? [] : [`${typeof summed === "string" ? summed : summed[kind]} as ${name}_sum`],
  );
  return `select ${columns.join(", ")}, ${sums.join(", ")}
    from ${source} where status <> 'pending' and ${within("created_at", range)} group by ${places}`;
}

const within = (column: string, { from, to }: TimeRange): string => `${column} >= ${from} and ${column} < ${to}`;

const subjectOf = (table: RollupTable): string =>
  names(table)
    .map((column) => `coalesce(cast(kept.${column} as text), cast(summed.${column} as text))`)
    .join(" || ' ' || ");

const equalNames = (table: RollupTable): string =>
  names(table)
    .map((column) => `kept.${column} = summed.${column}`)
    .join(" and ");

/** Joins what a table keeps with what it should, and gives the rows with any sum that differs. */
function differing(table: RollupTable, kept: string, summed: string, sums: readonly string[]): AuditQuery<Difference> {
  const value = (side: string, name: string) => `coalesce(${side}.${name}_sum, 0)`;
  const pairs = sums.map(
    (name) =>
      `cast(${value("kept", name)} as bigint) as kept_${name}, cast(${value("summed", name)} as bigint) as summed_${name}`,
  );
  return `select ${subjectOf(table)} as subject, ${pairs.join(", ")}
    from (${kept}) as kept full join (${summed}) as summed on ${equalNames(table)}
    where ${sums.map((name) => `${value("kept", name)} <> ${value("summed", name)}`).join(" or ")}`;
}

function recordDifferences(kind: StorageKind, table: RollupTable, range: TimeRange): AuditQuery<Difference> {
  const compared = comparedSums.filter(({ summed }) => summed !== null);
  const kept = `select ${names(table).join(", ")}, ${compared.map((sum) => `${sum.kept} as ${sum.name}_sum`).join(", ")}
    from ${table.name} where span = ${quarterMs} and ${within("starts_at", range)}`;
  const sums = compared.map(({ name }) => name);
  return differing(table, kept, recordsOf(kind, table, range), sums);
}

/** All sums of a row are compared at once, as their sum. */
function sumDifferences(
  kind: StorageKind,
  table: RollupTable,
  source: RollupTable,
  span: RollupSpan,
  range: TimeRange,
): AuditQuery<Difference> {
  const all = sumColumns.join(" + ");
  const select = (from: RollupTable, startsAt: string, amount: string) =>
    `select ${names(table)
      .map((column) => (column === "starts_at" ? `${startsAt} as starts_at` : column))
      .join(", ")}, ${amount} as all_sum from ${from.name}`;
  const places = names(table)
    .map((_column, place) => place + 1)
    .join(", ");
  const kept = `${select(table, "starts_at", all)} where span = ${span} and ${within("starts_at", range)}`;
  const summed = `${select(source, startOfSpanIn(kind, span, "starts_at"), `sum(${all})`)}
    where span = ${quarterMs} and ${within("starts_at", range)} group by ${places}`;
  return differing(table, kept, summed, ["all"]);
}
