import type { Budget } from "./budget.ts";

/** The time in which requests begin that count together. Milliseconds since 1970. */
export interface Period {
  readonly startsAt: number;
  /** The beginning of the next one; `endless` if there is none. */
  readonly endsAt: number;
}

export const endless = Number.MAX_SAFE_INTEGER;

const dayMs = 86_400_000;
/** No clock on a wall is further from UTC. */
const maxOffsetMs = 16 * 3_600_000;

/** The period of a budget that an instant is in. */
export function periodAt({ per, timeZone }: Pick<Budget, "per" | "timeZone">, instant: number): Period {
  if (per === "total" || per === "session") return { startsAt: 0, endsAt: endless };
  const today = dateAt(timeZone, instant);
  const [first, next] = datesOf(per, today);
  return { startsAt: beginningOf(first, timeZone), endsAt: beginningOf(next, timeZone) };
}

/** The first date of the period that a date is in, and of the next one. Dates are the UTC midnights of their days. */
function datesOf(per: "day" | "week" | "month", date: number): readonly [number, number] {
  if (per === "day") return [date, date + dayMs];
  const day = new Date(date);
  if (per === "month") {
    const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
    return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  }
  const monday = date - ((day.getUTCDay() + 6) % 7) * dayMs;
  return [monday, monday + 7 * dayMs];
}

/** The first instant of a date in a time zone. A day may begin at another time than midnight, where clocks skip that. */
function beginningOf(date: number, timeZone: string): number {
  if (timeZone === "UTC") return date;
  let before = date - maxOffsetMs;
  let within = date + maxOffsetMs;
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dateAt(timeZone, middle) >= date) within = middle;
    else before = middle;
  }
  return within;
}

const calendars = new Map<string, Intl.DateTimeFormat>();

/** The date that a calendar in a time zone shows at an instant. */
function dateAt(timeZone: string, instant: number): number {
  if (timeZone === "UTC") return Math.floor(instant / dayMs) * dayMs;
  let calendar = calendars.get(timeZone);
  if (calendar === undefined) {
    calendar = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
    calendars.set(timeZone, calendar);
  }
  return Date.parse(calendar.format(instant));
}
