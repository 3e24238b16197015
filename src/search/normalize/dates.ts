import { readRelativeDate } from "./relative-dates.ts";

/** No text that is a date is longer. */
const maxLength = 64;

/**
 * A date in any of the forms in which search providers write one, as RFC 3339 in UTC; null if it is in none of them, or
 * names a day that does not exist. What has no zone is taken for UTC. Never guesses: a day without a year, or two numbers
 * that may be day or month, are null.
 * @param now when the answer arrived, in milliseconds since 1970: for `2 days ago`
 */
export function readDate(text: string | null, now: number): string | null {
  if (text !== null && isUsual(text)) return text.length === usualLength ? `${text}Z` : text;
  const trimmed = text?.trim() ?? "";
  if (trimmed === "" || trimmed.length > maxLength) return null;
  const at = readIso(trimmed) ?? readWritten(trimmed) ?? readWithMeridiem(trimmed) ?? readRelativeDate(trimmed, now);
  return at === null ? null : asText(at);
}

/** The form in which most providers have them, which is almost that of the answer: `2026-11-14T08:00:00`, in UTC. */
const usual = /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ?$/;
const usualLength = 19;

/** Whether it is one that needs no calendar: each month has 28 days. */
function isUsual(text: string): boolean {
  return (text.length === usualLength || text.length === usualLength + 1) && usual.test(text);
}

/** Milliseconds since 1970 as RFC 3339 in UTC, with as many digits as it needs; null beyond the years 1 to 9999. */
function asText(at: number): string | null {
  if (!(at >= -62_135_596_800_000 && at <= 253_402_300_799_999)) return null;
  return new Date(at).toISOString().replace(".000Z", "Z");
}

/** `2026-11-14`, `2026-11-14T08:00`, `2026-11-14T08:00:00.123Z`, `2026-11-14 08:00:00+08:00`. */
const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|UTC|GMT|[+-]\d{2}:?\d{2})?)?$/;

function readIso(text: string): number | null {
  const found = iso.exec(text);
  if (!found) return null;
  const [, year, month, day, hour, minute, second, fraction = "", zone] = found;
  const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
  return moment(Number(year), Number(month), Number(day), { hour, minute, second, milliseconds, zone });
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const clock = "(?:,?\\s+(\\d{1,2}):(\\d{2})(?::(\\d{2}))?\\s*(Z|UTC|GMT|UT|[+-]\\d{2}:?\\d{2})?)?";
/** `Tue, 11 Mar 2025 15:42:00 GMT`, `31 Aug 2022`. */
const dayFirst = new RegExp(`^(?:[A-Za-z]{3,9},?\\s+)?(\\d{1,2})\\.?\\s+([A-Za-z]{3,9})\\.?,?\\s+(\\d{4})${clock}$`);
/** `Aug 31, 2022`, `September 9, 2023`. */
const monthFirst = new RegExp(`^(?:[A-Za-z]{3,9},?\\s+)?([A-Za-z]{3,9})\\.?\\s+(\\d{1,2}),?\\s+(\\d{4})${clock}$`);

function readWritten(text: string): number | null {
  const byDay = dayFirst.exec(text);
  const found = byDay ?? monthFirst.exec(text);
  if (!found) return null;
  const [, one = "", two = "", year, hour, minute, second, zone] = found;
  const month = monthOf(byDay ? two : one);
  return month === null
    ? null
    : moment(Number(year), month, Number(byDay ? one : two), { hour, minute, second, milliseconds: 0, zone });
}

const monthNames = [
  "january february march april may june july august september october november december".split(" "),
].flat();

/** From 1; null if it is no English month, whole or by three or four letters. */
function monthOf(name: string): number | null {
  const lower = name.toLowerCase();
  const place = months.indexOf(lower.slice(0, 3));
  const whole = monthNames[place];
  const isMonth = whole !== undefined && (lower.length === 3 || lower === whole || lower === "sept");
  return isMonth ? place + 1 : null;
}

/** SerpApi's `11/12/2024, 09:03 AM, +0200 EET`: the month comes first. */
const withMeridiem = /^(\d{2})\/(\d{2})\/(\d{4}), (\d{1,2}):(\d{2}) (AM|PM)(?:, ([+-]\d{4})(?: [A-Z]{1,5})?)?$/;

function readWithMeridiem(text: string): number | null {
  const found = withMeridiem.exec(text);
  if (!found) return null;
  const [, month, day, year, hour, minute, half, zone] = found;
  if (Number(hour) < 1 || Number(hour) > 12) return null;
  const hours = String((Number(hour) % 12) + (half === "PM" ? 12 : 0));
  return moment(Number(year), Number(month), Number(day), { hour: hours, minute, second: "0", milliseconds: 0, zone });
}

interface TimeOfDay {
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
  readonly milliseconds: number;
  readonly zone: string | undefined;
}

/** Milliseconds since 1970; null if there is no such day or time. */
function moment(year: number, month: number, day: number, time: TimeOfDay): number | null {
  const hour = Number(time.hour ?? 0);
  const minute = Number(time.minute ?? 0);
  const second = Number(time.second ?? 0);
  const offset = offsetOf(time.zone);
  if (offset === null || hour > 23 || minute > 59 || second > 60 || year < minYear) return null;
  if (month < 1 || day < 1 || day > (daysOfMonths[month - 1] ?? 0) || (month === 2 && day === 29 && !isLeap(year)))
    return null;
  return Date.UTC(year, month - 1, day, hour, minute, Math.min(second, 59), time.milliseconds) - offset * 60_000;
}

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** `Date` takes earlier years for those of the last century. */
const minYear = 100;

/** Minutes east of UTC; null if there is no such zone. */
function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined || !/^[+-]/.test(zone)) return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 14 || minutes > 59) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
