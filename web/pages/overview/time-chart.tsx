import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Summary } from "../../api/types.ts";
import { Chart, seriesColors } from "../../components/chart.tsx";
import { shortDay, shortTime } from "../../format/time.ts";
import { type Range, writeRange } from "../../range/range.ts";
import { words } from "../../words/en.ts";
import { bucketsOf, seriesOf, type Unit } from "./buckets.ts";
import { type Group, nameOf } from "./groups.ts";
import { formatOf, type Metric, valueOf } from "./metrics.ts";

const text = words.overview;

interface TimeChartProps {
  readonly summary: Summary;
  readonly range: Range;
  readonly unit: Unit;
  readonly group: Group;
  readonly metric: Metric;
}

/** A metric over time. A click leads to the requests of a bar, dragging to a shorter range. */
export function TimeChart({ summary, range, unit, group, metric }: TimeChartProps) {
  const navigate = useNavigate();
  const [hovered, setHovered] = useState<number | null>(null);
  const end = range.to ?? Math.ceil(Date.now() / 60_000) * 60;
  const starts = useMemo(() => bucketsOf(range.from, end, unit), [range.from, end, unit]);
  const series = useMemo(
    () =>
      seriesOf(
        summary.data,
        unit,
        starts,
        (row) => nameOf(row, group),
        (row) => valueOf(metric, row),
        text.others,
      ),
    [summary, unit, starts, group, metric],
  );
  const format = formatOf(metric);
  const endOf = (place: number) => starts[place + 1] ?? end;
  const pick = (place: number) => {
    const from = starts[place];
    if (from === undefined) return;
    const status = metric === "errors" ? { status: "failed" } : {};
    void navigate({ to: "/requests", search: { range: writeRange(from, endOf(place)), ...status } });
  };
  const zoom = (from: number, to: number) => {
    void navigate({ to: "/", search: (search) => ({ ...search, range: writeRange(from, to) }) });
  };
  const at = hovered === null ? undefined : starts[hovered];
  return (
    <div className="px-4 py-3 sm:px-6">
      <div className="mb-2 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-xs text-dim">
        <span className="numeric min-w-32">
          {at === undefined ? text.chartHint : unit === "hour" ? shortTime(at) : shortDay(at)}
        </span>
        {series.map(({ name, values }, index) => (
          <span key={name} className="flex max-w-56 items-center gap-1.5">
            <span className="size-2 shrink-0 rounded-sm" style={{ background: `var(${seriesColors[index]})` }} />
            <span className="truncate">{name}</span>
            {hovered !== null && <span className="numeric text-ink">{format(values[hovered] ?? 0)}</span>}
          </span>
        ))}
      </div>
      <Chart
        label={text.chart(text.metrics[metric], text.groups[group])}
        starts={starts}
        series={series}
        format={format}
        onHover={setHovered}
        onPick={pick}
        onZoom={zoom}
      />
    </div>
  );
}
