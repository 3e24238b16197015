/** The points of a chart: hours, days or weeks of the browser's time zone, those without requests included. */
import { useMemo } from "react";
import type { SumRow } from "../../api/types.ts";
import type { Range } from "../../range/range.ts";

export type Unit = "hour" | "day" | "week";

/** When a bucket of the summary begins, in Unix seconds. Hours have their offset, days and weeks are local dates. */
export function bucketStart(label: string): number {
  const text = label.includes("T") ? label : `${label}T00:00:00`;
  return Math.floor(new Date(text).getTime() / 1000);
}

/** The beginnings of all buckets of a range, in Unix seconds. */
export function bucketsOf(from: number, to: number, unit: Unit): number[] {
  const date = new Date(from * 1000);
  date.setMinutes(0, 0, 0);
  if (unit !== "hour") date.setHours(0);
  if (unit === "week") date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  const starts: number[] = [];
  // A bound, should a range be absurd.
  while (date.getTime() / 1000 < to && starts.length < 5_000) {
    starts.push(date.getTime() / 1000);
    nextBucket(date, unit);
  }
  return starts;
}

/** Moves a date to the next bucket. Hours by the clock that never repeats, days by the calendar. */
function nextBucket(date: Date, unit: Unit): void {
  if (unit === "hour") date.setTime(date.getTime() + 3_600_000);
  else date.setDate(date.getDate() + (unit === "day" ? 1 : 7));
}

/** The beginnings of the buckets of a range until now, and the end of the last one. */
export function useBuckets({ from, to }: Range, unit: Unit): { readonly starts: number[]; readonly end: number } {
  const end = to ?? Math.ceil(Date.now() / 60_000) * 60;
  const starts = useMemo(() => bucketsOf(from, end, unit), [from, end, unit]);
  return { starts, end };
}

/** @param end that of the last bucket */
export function endOfBucket(starts: readonly number[], place: number, end: number): number {
  return starts[place + 1] ?? end;
}

/** The name of the series that a height in a stack of them belongs to; null above it. */
export function segmentAt(series: readonly Series[], place: number, height: number): string | null {
  let top = 0;
  for (const { name, values } of series) {
    top += values[place] ?? 0;
    if (height < top) return name;
  }
  return null;
}

/** One group's values, one for each bucket. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

const maxGroups = 5;

/** The rows of a summary as series: the greatest groups, then all others as one. */
export function seriesOf(
  rows: readonly SumRow[],
  unit: Unit,
  starts: readonly number[],
  nameOf: (row: SumRow) => string,
  valueOf: (row: SumRow) => number,
  others: string,
): Series[] {
  const places = new Map(starts.map((start, place) => [start, place]));
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + valueOf(row));
  const ranked = [...sums].filter(([, sum]) => sum > 0).sort(([, a], [, b]) => b - a);
  const shown = new Set(
    ranked.slice(0, ranked.length === maxGroups + 1 ? maxGroups + 1 : maxGroups).map(([name]) => name),
  );
  const values = new Map<string, number[]>();
  for (const [name] of ranked) {
    const key = shown.has(name) ? name : others;
    if (!values.has(key))
      values.set(
        key,
        starts.map(() => 0),
      );
  }
  for (const row of rows) {
    const name = nameOf(row);
    const series = values.get(shown.has(name) ? name : others);
    const place = places.get(bucketStart(row[unit] ?? ""));
    if (series && place !== undefined) series[place] = (series[place] ?? 0) + valueOf(row);
  }
  return [...values].map(([name, list]) => ({ name, values: list }));
}
