import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { Choice } from "../../components/choice.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { FilterBar } from "../../filters/filter-bar.tsx";
import { type Filters, readFilters, summaryFilters } from "../../filters/filters.ts";
import { unitOf } from "../../range/range.ts";
import { RangePicker, useRange } from "../../range/range-picker.tsx";
import { isOperator, useUser } from "../../session/session.ts";
import { words } from "../../words/en.ts";
import { NoRecords } from "../requests/no-records.tsx";
import { keysQuery } from "../keys/key-queries.ts";
import { DurationChart } from "./duration-chart.tsx";
import { asGroup, groups, type KeyNames, memberGroups } from "./groups.ts";
import { GroupTable } from "./group-table.tsx";
import { asMetric, isDuration } from "./metrics.ts";
import { SumChart } from "./sum-chart.tsx";
import { Tiles } from "./tiles.tsx";
import { useSummaries } from "./use-summaries.ts";
import { Welcome } from "./welcome.tsx";

const text = words.overview;

/** What was spent, asked, and went wrong, and how long it took. Every number leads to its requests. */
export function OverviewPage() {
  const user = useUser();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = useRange();
  const filters = readFilters(search, summaryFilters);
  const allowed = isOperator(user) ? groups : memberGroups;
  const group = asGroup(search["by"], allowed);
  const metric = asMetric(search["metric"]);
  const unit = unitOf(range);
  const { byGroup, byTime, durations, earlier } = useSummaries({ filters, range, unit, group, metric });
  const keyNames = useKeyNames(isOperator(user) && group === "key");
  const choose = (part: Readonly<Record<string, string>>) => {
    void navigate({ to: "/", search: (before) => ({ ...before, ...part }), replace: true });
  };
  const setFilters = (next: Filters) => {
    const { by, metric: shown } = search;
    void navigate({ to: "/", search: ({ range: kept }) => ({ range: kept, by, metric: shown, ...next }) });
  };
  const chart = { range, unit, filters };
  return (
    <Page title={text.title} actions={<RangePicker />}>
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-2 sm:px-6">
        <FilterBar filters={filters} onChange={setFilters} names={summaryFilters} />
      </div>
      <Loaded query={byGroup} rows={12}>
        {(summary) =>
          summary.total.requests === 0 ? (
            <Nothing isFiltered={Object.keys(filters).length > 0} onClear={() => setFilters({})} />
          ) : (
            <>
              <Tiles
                total={summary.total}
                earlier={earlier.data?.total ?? null}
                metric={metric}
                onChange={(next) => choose({ metric: next })}
              />
              <div className="flex flex-wrap items-center gap-2 px-4 pt-4 sm:px-6">
                <Choice
                  label={text.groupBy}
                  value={group}
                  options={allowed.map((name) => [name, text.groups[name]])}
                  onChange={(next) => choose({ by: next })}
                />
              </div>
              {isDuration(metric) ? (
                <DurationChart {...chart} query={durations} metric={metric} />
              ) : (
                <SumChart {...chart} query={byTime} metric={metric} group={group} keyNames={keyNames} />
              )}
              <GroupTable summary={summary} group={group} keyNames={keyNames} filters={filters} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  return isFiltered ? <NoRecords isFiltered onClear={onClear} /> : <Welcome />;
}

const noNames: KeyNames = new Map();

/** The names of the newest keys; others are shown by their ids. */
function useKeyNames(enabled: boolean): KeyNames {
  const keys = useInfiniteQuery({ ...keysQuery, enabled });
  return useMemo(() => {
    if (keys.data === undefined) return noNames;
    const known = keys.data.pages.flatMap(({ data }) => data);
    const isShared = (name: string) => known.filter((each) => each.name === name).length > 1;
    return new Map(known.map(({ id, name }) => [id, isShared(name) ? `${name} · ${id}` : name]));
  }, [keys.data]);
}
