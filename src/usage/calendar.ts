import { invalidParameter } from "../errors.ts";
import type { TimeRange } from "./usage-store.ts";

/** The units of time by which a summary can be told apart. Weeks begin on Monday. */
export const timeUnits = ["hour", "day", "week", "month"] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** A time within one hour, day, week or month of a time zone, for each unit that was asked for. */
export interface Segment extends TimeRange {
  /** In the order of the units. */
  readonly labels: readonly string[];
}

/** @throws 400 naming `time_zone` if there is no such zone */
export function checkTimeZone(timeZone: string): string {
  try {
    // Offsets such as +08:00 are no zones: they know no daylight saving.
    if (!/^[A-Za-z]/.test(timeZone)) throw new RangeError();
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone);
    return timeZone;
  } catch {
    throw invalidParameter("time_zone", "a time zone such as UTC or Europe/Berlin");
  }
}

/** More are not told apart in one summary. */
const maxSegments = 10_000;

/**
 * Cuts a range at every beginning of the units in a time zone.
 * @throws 400 naming `by` if there are too many
 */
export function cutAt(units: readonly TimeUnit[], timeZone: string, { from, to }: TimeRange): Segment[] {
  const segments: Segment[] = [];
  /** When the clock is changed next: looking for it takes longer than all else. */
  let change = -Infinity;
  let start = from;
  while (start < to) {
    if (segments.length === maxSegments) {
      throw invalidParameter("by", `at most ${maxSegments} times between 'from' and 'to'`);
    }
    const time = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone);
    if (change <= start) change = time.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity;
    const end = Math.min(to, ...units.map((unit) => nextStart(unit, time, change)));
    segments.push({ from: start, to: end, labels: units.map((unit) => labelOf(unit, time)) });
    start = end;
  }
  return segments;
}

/** The first instant of the next unit, in milliseconds since 1970. @param change when the clock is changed next */
function nextStart(unit: TimeUnit, time: Temporal.ZonedDateTime, change: number): number {
  const date = time.toPlainDate();
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(time.timeZoneId).epochMilliseconds;
  switch (unit) {
    case "hour": {
      const passed = time.minute * 60_000 + time.second * 1_000 + time.millisecond;
      // An hour is cut short if the clock is changed within it.
      return Math.min(time.epochMilliseconds - passed + 3_600_000, change);
    }
    case "day":
      return startOf(date.add({ days: 1 }));
    case "week":
      return startOf(date.add({ days: 8 - date.dayOfWeek }));
    case "month":
      return startOf(date.with({ day: 1 }).add({ months: 1 }));
  }
}

function labelOf(unit: TimeUnit, time: Temporal.ZonedDateTime): string {
  const date = time.toPlainDate();
  switch (unit) {
    case "hour": {
      const offset = time.timeZoneId === "UTC" ? "Z" : time.offset;
      return `${date.toString()}T${String(time.hour).padStart(2, "0")}:00:00${offset}`;
    }
    case "day":
      return date.toString();
    case "week":
      return date.subtract({ days: date.dayOfWeek - 1 }).toString();
    case "month":
      return date.toString().slice(0, 7);
  }
}
