import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { readColor, useThemeVersion } from "../theme/colors.ts";

export interface ChartSeries {
  readonly name: string;
  /** Null if there is none at that time. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly label: string;
  /** Unix seconds, one for each value. */
  readonly starts: readonly number[];
  /** As bars they are stacked on each other, the first at the bottom. */
  readonly series: readonly ChartSeries[];
  readonly kind: "bars" | "lines";
  readonly format: (value: number) => string;
  readonly onHover: (place: number | null) => void;
  /** @param height the value at which it was clicked */
  readonly onPick: (place: number, height: number) => void;
  readonly onZoom: (from: number, to: number) => void;
}

const height = 220;

export const seriesColors = ["c1", "c2", "c3", "c4", "c5", "c6"].map((name) => `--color-${name}`);

/** Stacked bars or lines over time. A table beside it has the same numbers for those who do not see it. */
export function Chart({ label, starts, series, kind, format, onHover, onPick, onZoom }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const handlers = useRef({ onHover, onPick, onZoom });
  const theme = useThemeVersion();
  useEffect(() => {
    handlers.current = { onHover, onPick, onZoom };
  });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const faint = readColor("--color-faint");
    const line = readColor("--color-line");
    const bars = UPlot.paths.bars?.({ size: [0.72, 48], radius: 0.06 });
    const drawn = kind === "bars" ? stack(series) : series.map(({ values }) => [...values]);
    const colorOf = (index: number) => readColor(seriesColors[index] ?? "--color-accent");
    const axis = { stroke: faint, font: "11px system-ui", ticks: { show: false }, gap: 6 };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
        scales: {
          x: { time: true, range: (_, min, max) => [min - step(starts) / 2, max + step(starts) / 2] },
          y: { range: (_, _min, max) => [0, max > 0 ? max * 1.05 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 72,
            size: 28,
            incrs: step(starts) < 86_400 ? hourly : daily,
            values: (_, ticks) => ticks.map((tick) => timeLabel(tick, step(starts))),
          },
          { ...axis, grid: { stroke: line, width: 1 }, size: 64, space: 40, values: (_, ticks) => ticks.map(format) },
        ],
        series: [
          {},
          ...drawn.map((_, index) =>
            kind === "bars"
              ? {
                  fill: colorOf(drawn.length - 1 - index),
                  width: 0,
                  ...(bars && { paths: bars }),
                  points: { show: false },
                }
              : { stroke: colorOf(index), width: 2, points: { show: true, size: 5, fill: colorOf(index) } },
          ),
        ],
        hooks: {
          setCursor: [({ cursor }) => handlers.current.onHover(cursor.idx ?? null)],
          setSelect: [
            (plot) => {
              const { left, width } = plot.select;
              if (width > 8) handlers.current.onZoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
            },
          ],
        },
      },
      [[...starts], ...drawn],
      element,
    );
    let downAt = 0;
    plot.over.addEventListener("mousedown", ({ clientX }) => (downAt = clientX));
    plot.over.addEventListener("click", ({ clientX }) => {
      const { idx, top = 0 } = plot.cursor;
      const isClick = Math.abs(clientX - downAt) < 4 && typeof idx === "number";
      if (isClick) handlers.current.onPick(idx, plot.posToVal(top, "y"));
    });
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [starts, series, kind, format, theme]);
  return <div ref={place} role="img" aria-label={label} className="w-full overflow-hidden" style={{ height }} />;
}

/** The steps between two labels, in seconds. */
const hourly = [1, 2, 3, 6, 12, 24, 48].map((hours) => hours * 3_600);
const daily = [1, 2, 3, 7, 14, 28].map((days) => days * 86_400);

const dayLabel = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const hourLabel = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Midnight is a day, any other time of it an hour. */
function timeLabel(seconds: number, step: number): string {
  const date = new Date(seconds * 1000);
  return step >= 86_400 || date.getHours() === 0 ? dayLabel.format(date) : hourLabel.format(date);
}

/** The heights of the bars, the whole first, so that each is drawn over the one before. */
function stack(series: readonly ChartSeries[]): number[][] {
  const heights: number[][] = [];
  for (const { values } of series) {
    const below = heights.at(-1);
    heights.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return heights.toReversed();
}

function step(starts: readonly number[]): number {
  const [first = 0, second = first + 3_600] = starts;
  return second - first;
}
