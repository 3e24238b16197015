import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Chart, type ChartSeries, seriesColors } from "../../components/chart.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { shortDay, shortTime } from "../../format/time.ts";
import { writeQuarters } from "../../range/range.ts";
import { words } from "../../words/en.ts";
import type { Unit } from "./buckets.ts";

const text = words.overview;

interface TimeChartProps {
  readonly label: string;
  /** Where the series are from. */
  readonly query: UseQueryResult;
  readonly unit: Unit;
  /** Unix seconds. */
  readonly starts: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly kind: "bars" | "lines";
  readonly onPick: (place: number, height: number) => void;
}

/** A chart with its legend, which tells the values under the pointer. Dragging chooses a shorter range. */
export function TimeChart({ label, query, unit, starts, series, format, kind, onPick }: TimeChartProps) {
  const navigate = useNavigate();
  const [hovered, setHovered] = useState<number | null>(null);
  const zoom = (from: number, to: number) => {
    void navigate({ to: "/", search: (search) => ({ ...search, range: writeQuarters(from, to) }) });
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
            {hovered !== null && <span className="numeric text-ink">{valueText(values[hovered] ?? null, format)}</span>}
          </span>
        ))}
      </div>
      {query.error ? (
        <ErrorNote error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Chart
          label={label}
          starts={starts}
          series={series}
          format={format}
          kind={kind}
          onHover={setHovered}
          onPick={onPick}
          onZoom={zoom}
        />
      )}
    </div>
  );
}

function valueText(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}
