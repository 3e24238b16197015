import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Summary } from "../../api/types.ts";
import type { Filters } from "../../filters/filters.ts";
import { type Range, writeRange } from "../../range/range.ts";
import { words } from "../../words/en.ts";
import { bucketStart, endOfBucket, type Unit, useBuckets } from "./buckets.ts";
import { type DurationMetric, formatOf, percentilesOf } from "./metrics.ts";
import { TimeChart } from "./time-chart.tsx";

const text = words.overview;
const none: Summary["data"] = [];

interface DurationChartProps {
  readonly query: UseQueryResult<Summary>;
  readonly range: Range;
  readonly unit: Unit;
  readonly filters: Filters;
  readonly metric: DurationMetric;
}

/** The median and the 95th percentile over time. A click leads to the requests of that time. */
export function DurationChart({ query, range, unit, filters, metric }: DurationChartProps) {
  const navigate = useNavigate();
  const rows = query.data?.data ?? none;
  const { starts, end } = useBuckets(range, unit);
  const series = useMemo(() => {
    const found = new Map(rows.map((row) => [bucketStart(row[unit] ?? ""), percentilesOf(metric, row)]));
    return (["p50", "p95"] as const).map((name) => ({
      name: text.percentiles[name],
      values: starts.map((start) => found.get(start)?.[name] ?? null),
    }));
  }, [rows, unit, starts, metric]);
  const pick = (place: number) => {
    const from = starts[place];
    if (from === undefined) return;
    void navigate({
      to: "/requests",
      search: { ...filters, range: writeRange(from, endOfBucket(starts, place, end)) },
    });
  };
  return (
    <TimeChart
      label={text.durationChart(text.metrics[metric])}
      query={query}
      unit={unit}
      starts={starts}
      series={series}
      format={formatOf(metric)}
      kind="lines"
      onPick={pick}
    />
  );
}
