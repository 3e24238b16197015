import { Link } from "@tanstack/react-router";
import type { Summary, SumRow } from "../../api/types.ts";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Money, None } from "../../components/values.tsx";
import { count, share } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { type Group, nameOf } from "./groups.ts";

const text = words.overview;

type Sums = Pick<SumRow, "requests" | "errors" | "total_tokens" | "amount_microusd">;

/** Groups that the list of requests cannot be filtered by. */
const withoutFilter: ReadonlySet<Group> = new Set(["provider"]);

/** The sums of each group, the costliest first. A name leads to its requests. */
export function GroupTable({ summary, group }: { readonly summary: Summary; readonly group: Group }) {
  const groups = sumsByName(summary.data, group);
  const most = Math.max(1, summary.total.amount_microusd);
  return (
    <div className="border-t border-line">
      <Table label={text.groups[group]} columns={text.columns(text.groups[group])}>
        {groups.map(([name, sums]) => (
          <Row key={name}>
            <Cell className="font-medium">
              {name === text.nobody || withoutFilter.has(group) ? (
                name
              ) : (
                <Link to="/requests" search={({ range }) => ({ range, [group]: name })} className="hover:underline">
                  {name}
                </Link>
              )}
            </Cell>
            <Cell right>{count(sums.requests)}</Cell>
            <Cell right>{sums.errors === 0 ? <None /> : <span className="text-bad">{count(sums.errors)}</span>}</Cell>
            <Cell right>{sums.total_tokens === 0 ? <None /> : count(sums.total_tokens)}</Cell>
            <Cell right>
              <Money amount={sums.amount_microusd} />
            </Cell>
            <Cell right className="w-32">
              <span className="flex items-center justify-end gap-2">
                <span className="h-1.5 w-14 overflow-hidden rounded-sm bg-hover">
                  <span
                    className="block h-full rounded-sm bg-accent"
                    style={{ width: `${(100 * sums.amount_microusd) / most}%` }}
                  />
                </span>
                <span className="w-12 text-xs text-dim">{share(sums.amount_microusd / most)}</span>
              </span>
            </Cell>
          </Row>
        ))}
      </Table>
    </div>
  );
}

function sumsByName(rows: readonly SumRow[], group: Group): readonly (readonly [string, Sums])[] {
  const byName = new Map<string, Sums>();
  for (const row of rows) {
    const name = nameOf(row, group);
    const known = byName.get(name) ?? { requests: 0, errors: 0, total_tokens: 0, amount_microusd: 0 };
    byName.set(name, {
      requests: known.requests + row.requests,
      errors: known.errors + row.errors,
      total_tokens: known.total_tokens + row.total_tokens,
      amount_microusd: known.amount_microusd + row.amount_microusd,
    });
  }
  return [...byName].sort(([, a], [, b]) => b.amount_microusd - a.amount_microusd || b.requests - a.requests);
}
