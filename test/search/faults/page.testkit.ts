import { searchProviderNames } from "../../../src/search/providers/registry.ts";
import { markdownTable } from "../../../scripts/markdown-table.ts";
import { type SearchCell, searchFaults } from "./faults.testkit.ts";
import type { SearchObservation } from "./observe.testkit.ts";

interface SeenCell {
  readonly cell: SearchCell;
  readonly seen: SearchObservation;
}

const introduction = `# What each fault of a search provider does

Each row was observed: a backend of each provider named failed in one way, once as a backend that is asked alone, and once as one
that [may fall back](search.md#which-backend-answers), as all may under \`auto\`. The vendors are those of the sandbox, which write
errors as the real ones do: the status of each is in brackets. _Reason_ is that of the receipt.

The page is written by \`UPDATE_DOCS=1 npm test -- test/search/faults\`, where each provider's fault is a test.
`;

const columns = [
  "fault",
  "providers",
  "reason",
  "asked alone: caller sees",
  "charge",
  "calls",
  "may fall back",
  "charge",
];

export function searchFaultsPage(cells: readonly SeenCell[]): string {
  return [
    introduction,
    markdownTable(
      columns,
      searchFaults.flatMap(({ name }) =>
        rowsOf(
          name,
          cells.filter(({ cell }) => cell.fault.name === name),
        ),
      ),
    ),
    "## What the faults are\n",
    markdownTable(
      ["fault", "what happens"],
      searchFaults.map(({ name, what }) => [name, what]),
    ),
  ].join("\n");
}

/** Providers of which the same was seen share a row. */
function rowsOf(fault: string, cells: readonly SeenCell[]): string[][] {
  const rows = new Map<string, SeenCell[]>();
  for (const each of cells) {
    const key = factsOf(each.seen).join("|");
    rows.set(key, [...(rows.get(key) ?? []), each]);
  }
  return [...rows].map(([key, group]) => [fault, providersOf(group), ...key.split("|")]);
}

/** `tavily (432), serper (400)`, or `all (500)`. */
function providersOf(group: readonly SeenCell[]): string {
  const names = group.map(({ cell, seen }) => ({ name: cell.provider, status: seen.vendorStatus }));
  const statuses = new Set(names.map(({ status }) => status));
  const isAll = names.length === searchProviderNames.length && statuses.size === 1;
  const shown = isAll ? names.slice(0, 1).map(({ status }) => ({ name: "all", status })) : names;
  return shown.map(({ name, status }) => (status === null ? name : `${name} (${status})`)).join(", ");
}

function factsOf({ reason, named, namedUnits, calls, fallsBack, units }: SearchObservation): string[] {
  return [
    reason === null ? "none" : `\`${reason}\``,
    named,
    charge(namedUnits),
    String(calls),
    fallsBack ? "another answers" : "it answers",
    units === null ? "the other's" : charge(units),
  ];
}

function charge(units: number): string {
  return units === 0 ? "none" : `${units} ${units === 1 ? "unit" : "units"}`;
}
