/** Times as text. Times are Unix seconds, and shown in the time zone of the browser. */

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** The time zone of the browser, by its IANA name. */
export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function exactTime(seconds: number): string {
  return exact.format(seconds * 1000);
}

/** The time of today, or the day with it. */
export function shortTime(seconds: number, now = Date.now()): string {
  const date = new Date(seconds * 1000);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
}

export function shortDay(seconds: number): string {
  return dayOfYear.format(seconds * 1000);
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** How long ago, or until when: `5 min. ago`, `in 2 hr.` */
export function relativeTime(seconds: number, now = Date.now()): string {
  const difference = seconds - now / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit);
  }
  return Math.abs(difference) < 10 ? "just now" : relative.format(Math.trunc(difference), "second");
}
