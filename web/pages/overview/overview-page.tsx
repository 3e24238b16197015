import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { Choice } from "../../components/choice.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { timeZone } from "../../format/time.ts";
import { unitOf } from "../../range/range.ts";
import { RangePicker, useRange } from "../../range/range-picker.tsx";
import { useUser } from "../../session/session.ts";
import { summarize } from "../../usage/usage-api.ts";
import { words } from "../../words/en.ts";
import { asGroup, groups } from "./groups.ts";
import { GroupTable } from "./group-table.tsx";
import { asMetric } from "./metrics.ts";
import { Tiles } from "./tiles.tsx";
import { TimeChart } from "./time-chart.tsx";
import { Welcome } from "./welcome.tsx";

const text = words.overview;

/** What was spent, asked, and went wrong. Every number leads to its requests. */
export function OverviewPage() {
  const user = useUser();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = useRange();
  const group = asGroup(search["by"]);
  const metric = asMetric(search["metric"]);
  const unit = unitOf(range);
  const query = useQuery({
    queryKey: ["summary", range, unit, group],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => summarize(user, {}, range, [unit, group], timeZone, signal),
  });
  const before = useMemo(() => {
    const to = range.to ?? Math.floor(Date.now() / 1000);
    return { from: 2 * range.from - to, to: range.from };
  }, [range]);
  const earlier = useQuery({
    queryKey: ["summary-total", before],
    queryFn: ({ signal }) => summarize(user, {}, before, [], timeZone, signal),
  });
  const choose = (part: Readonly<Record<string, string>>) => {
    void navigate({ to: "/", search: (search) => ({ ...search, ...part }), replace: true });
  };
  return (
    <Page title={text.title} actions={<RangePicker />}>
      <Loaded query={query} rows={12}>
        {(summary) =>
          summary.total.requests === 0 ? (
            <Welcome />
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
                  options={groups.map((name) => [name, text.groups[name]])}
                  onChange={(next) => choose({ by: next })}
                />
              </div>
              <TimeChart summary={summary} range={range} unit={unit} group={group} metric={metric} />
              <GroupTable summary={summary} group={group} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
