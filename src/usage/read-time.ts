import { invalidParameter } from "../errors.ts";

const expected = "an RFC 3339 time such as 2026-11-22T00:00:00Z, a date, or Unix seconds";
/** The end of the year 9999. */
const latest = 253_402_300_800_000;

/**
 * Reads a time, in milliseconds since 1970, rounded up: no record is at a part of a millisecond. A date alone is its
 * midnight in the time zone. @throws 400 naming the parameter
 */
export function readTime(parameter: string, text: string, timeZone: string): number {
  const time = Math.ceil(parse(text, timeZone));
  if (!(time >= 0 && time < latest)) throw invalidParameter(parameter, expected);
  return time;
}

function parse(text: string, timeZone: string): number {
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
      return Temporal.PlainDate.from(text).toZonedDateTime(timeZone).epochMilliseconds;
    }
    // In a query that is not escaped a plus sign reads as a space.
    const instant = text.replace(/ (?=\d{2}:\d{2}$)/, "+");
    const fraction = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.exec(instant);
    if (fraction === null) return Number.NaN;
    return Number(Temporal.Instant.from(instant).epochNanoseconds) / 1e6;
  } catch {
    return Number.NaN;
  }
}
