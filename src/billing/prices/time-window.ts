/** A part of each day in a time zone. */
export interface TimeWindow {
  /** Minutes of the day, from 0 to 1439. */
  readonly fromMinute: number;
  /** The first minute after it; not above `fromMinute` if the window crosses midnight. */
  readonly toMinute: number;
  readonly timeZone: string;
}

const minutesOfDay = 24 * 60;
const msPerMinute = 60_000;

/** Reads `16:30` as minutes; null if it is no time of day. `24:00` is read as 0 if it may stand for the end. */
export function readTimeOfDay(text: string, isEnd = false): number | null {
  const parts = /^(\d{2}):(\d{2})$/.exec(text);
  if (parts === null) return null;
  const [hours, minutes] = [Number(parts[1]), Number(parts[2])];
  if (isEnd && hours === 24 && minutes === 0) return 0;
  return hours < 24 && minutes < 60 ? hours * 60 + minutes : null;
}

export function isTimeZone(name: string): boolean {
  try {
    // Offsets such as +08:00 are no zones: they know no daylight saving, and not every runtime has them.
    return /^[A-Za-z]/.test(name) && clockOf(name) !== null;
  } catch {
    return false;
  }
}

/** Whether an instant, in milliseconds since 1970, is within a window, by the clock on the wall of its time zone. */
export function isWithin({ fromMinute, toMinute, timeZone }: TimeWindow, instant: number): boolean {
  return isMinuteWithin(fromMinute, toMinute, minuteOfDay(timeZone, instant));
}

function isMinuteWithin(from: number, to: number, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Whether two windows of the same time zone share a minute. */
export function overlap(one: TimeWindow, other: TimeWindow): boolean {
  return (
    isMinuteWithin(one.fromMinute, one.toMinute, other.fromMinute) ||
    isMinuteWithin(other.fromMinute, other.toMinute, one.fromMinute)
  );
}

/** The minute of the day that the clock of a time zone shows, from 0 to 1439. */
export function minuteOfDay(timeZone: string, instant: number): number {
  const minute = Math.floor(instant / msPerMinute);
  if (timeZone === "UTC") return ((minute % minutesOfDay) + minutesOfDay) % minutesOfDay;
  const clock = clockOf(timeZone);
  if (clock.minute !== minute) {
    clock.minute = minute;
    const [hours = "", minutes = ""] = clock.format.format(instant).split(":");
    clock.shown = Number(hours) * 60 + Number(minutes);
  }
  return clock.shown;
}

/** What a clock showed last: requests of the same minute ask the same. */
interface ZoneClock {
  readonly format: Intl.DateTimeFormat;
  minute: number;
  shown: number;
}

const clocks = new Map<string, ZoneClock>();

/** @throws RangeError if the runtime does not know the time zone */
function clockOf(timeZone: string): ZoneClock {
  let clock = clocks.get(timeZone);
  if (!clock) {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    clock = { format, minute: Number.NaN, shown: 0 };
    clocks.set(timeZone, clock);
  }
  return clock;
}
