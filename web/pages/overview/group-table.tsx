import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { Summary, SumRow } from "../../api/types.ts";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Money, None } from "../../components/values.tsx";
import type { Filters } from "../../filters/filters.ts";
import { count, milliseconds, share } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { filterOf, type Group, type KeyNames, nameOf } from "./groups.ts";

const text = words.overview;
/** Rows that are shown. There may be thousands, of which few have more than a trace of the whole. */
const maxRows = 200;

interface GroupTableProps {
  readonly summary: Summary;
  readonly group: Group;
  readonly keyNames: KeyNames;
  readonly filters: Filters;
}

/** The sums of each group, the costliest first. A name leads to its requests, and so does the number of its errors. */
export function GroupTable({ summary, group, keyNames, filters }: GroupTableProps) {
  const rows = useMemo(
    () => summary.data.toSorted((a, b) => b.amount_microusd - a.amount_microusd || b.requests - a.requests),
    [summary],
  );
  const most = Math.max(1, summary.total.amount_microusd);
  return (
    <div className="border-t border-line">
      <Table label={text.groups[group]} columns={text.columns(text.groups[group])}>
        {rows.slice(0, maxRows).map((row) => {
          const name = nameOf(row, group, keyNames);
          const own = filterOf(row, group);
          const search = own && { ...filters, ...own };
          return (
            <Row key={row[group] ?? ""}>
              <Cell className="font-medium" title={name}>
                <ToRequests search={search}>{name}</ToRequests>
              </Cell>
              <Cell right>{count(row.requests)}</Cell>
              <Cell right>
                {row.errors === 0 ? (
                  <None />
                ) : (
                  <ToRequests search={search && withErrors(search)}>
                    <span className="text-bad">{count(row.errors)}</span>
                  </ToRequests>
                )}
              </Cell>
              <Cell right>{row.total_tokens === 0 ? <None /> : count(row.total_tokens)}</Cell>
              <Duration value={row.latency_ms?.p50} />
              <Duration value={row.latency_ms?.p95} />
              <Duration value={row.time_to_first_byte_ms?.p50} />
              <Duration value={row.time_to_first_byte_ms?.p95} />
              <Cell right>
                {row.cache_saved_microusd === 0 ? <None /> : <Money amount={row.cache_saved_microusd} />}
              </Cell>
              <Cell right>
                <Money amount={row.amount_microusd} />
              </Cell>
              <Share of={row} most={most} />
            </Row>
          );
        })}
      </Table>
      {rows.length > maxRows && (
        <p className="px-4 py-3 text-xs text-faint sm:px-6">{text.moreGroups(count(rows.length - maxRows))}</p>
      )}
    </div>
  );
}

/** A status that is selected stays as it is. */
function withErrors(search: Filters): Filters {
  return search.status === undefined ? { ...search, status: "failed,refused" } : search;
}

function ToRequests({ search, children }: { readonly search: Filters | null; readonly children: ReactNode }) {
  if (search === null) return children;
  return (
    <Link to="/requests" search={({ range }) => ({ range, ...search })} className="hover:underline">
      {children}
    </Link>
  );
}

function Duration({ value }: { readonly value: number | undefined }) {
  return <Cell right>{value === undefined ? <None /> : milliseconds(value)}</Cell>;
}

function Share({ of, most }: { readonly of: SumRow; readonly most: number }) {
  const part = of.amount_microusd / most;
  return (
    <Cell right className="w-32">
      <span className="flex items-center justify-end gap-2">
        <span className="h-1.5 w-14 overflow-hidden rounded-sm bg-hover">
          <span className="block h-full rounded-sm bg-accent" style={{ width: `${100 * part}%` }} />
        </span>
        <span className="w-12 text-xs text-dim">{share(part)}</span>
      </span>
    </Cell>
  );
}
