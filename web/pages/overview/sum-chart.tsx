import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Summary } from "../../api/types.ts";
import type { Filters } from "../../filters/filters.ts";
import { type Range, writeRange } from "../../range/range.ts";
import { words } from "../../words/en.ts";
import { endOfBucket, segmentAt, seriesOf, type Unit, useBuckets } from "./buckets.ts";
import { filterOf, type Group, type KeyNames, nameOf } from "./groups.ts";
import { formatOf, type SumMetric, valueOf } from "./metrics.ts";
import { TimeChart } from "./time-chart.tsx";

const text = words.overview;
const none: Summary["data"] = [];

interface SumChartProps {
  readonly query: UseQueryResult<Summary>;
  readonly range: Range;
  readonly unit: Unit;
  readonly filters: Filters;
  readonly group: Group;
  readonly metric: SumMetric;
  readonly keyNames: KeyNames;
}

/** What adds up, stacked by groups. A click leads to the requests of the part of the bar that it meets. */
export function SumChart({ query, range, unit, filters, group, metric, keyNames }: SumChartProps) {
  const navigate = useNavigate();
  const rows = query.data?.data ?? none;
  const { starts, end } = useBuckets(range, unit);
  const series = useMemo(
    () =>
      seriesOf(
        rows,
        unit,
        starts,
        (row) => nameOf(row, group, keyNames),
        (row) => valueOf(metric, row),
        text.others,
      ),
    [rows, unit, starts, group, metric, keyNames],
  );
  const pick = (place: number, height: number) => {
    const from = starts[place];
    if (from === undefined) return;
    const name = segmentAt(series, place, height);
    const row = rows.find((each) => nameOf(each, group, keyNames) === name);
    const search = {
      ...filters,
      ...(row && filterOf(row, group)),
      ...(metric === "errors" && filters.status === undefined && group !== "status" && { status: "failed,refused" }),
    };
    void navigate({ to: "/requests", search: { ...search, range: writeRange(from, endOfBucket(starts, place, end)) } });
  };
  return (
    <TimeChart
      label={text.chart(text.metrics[metric], text.groups[group])}
      query={query}
      unit={unit}
      starts={starts}
      series={series}
      format={formatOf(metric)}
      kind="bars"
      onPick={pick}
    />
  );
}
