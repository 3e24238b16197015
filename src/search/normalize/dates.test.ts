import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readDate } from "./dates.ts";

const now = Date.UTC(2026, 10, 22, 15, 30, 0, 250);

describe("readDate", () => {
  test.each([
    ["2023-11-16T01:36:20.486Z", "2023-11-16T01:36:20.486Z"],
    ["2024-05-02T17:40:05", "2024-05-02T17:40:05Z"],
    ["2024-05-02 17:40", "2024-05-02T17:40:00Z"],
    ["2024-05-02T17:40:05+08:00", "2024-05-02T09:40:05Z"],
    ["2024-05-02T17:40:05-0330", "2024-05-02T21:10:05Z"],
    ["2024-02-29", "2024-02-29T00:00:00Z"],
    ["Tue, 11 Mar 2025 15:42:00 GMT", "2025-03-11T15:42:00Z"],
    ["Tue, 11 Mar 2025 15:42:00 +0100", "2025-03-11T14:42:00Z"],
    ["Aug 31, 2022", "2022-08-31T00:00:00Z"],
    ["September 9, 2023", "2023-09-09T00:00:00Z"],
    ["Sept. 9, 2023", "2023-09-09T00:00:00Z"],
    ["31 Aug 2022", "2022-08-31T00:00:00Z"],
    ["2 weeks ago", "2026-11-08T15:30:00Z"],
    ["3 days ago", "2026-11-19T15:30:00Z"],
    ["an hour ago", "2026-11-22T14:30:00Z"],
    ["9 months ago", "2026-02-22T15:30:00Z"],
    ["1 year ago", "2025-11-22T15:30:00Z"],
    ["vor 2 Tagen", "2026-11-20T15:30:00Z"],
    ["vor einer Woche", "2026-11-15T15:30:00Z"],
    ["il y a 3 jours", "2026-11-19T15:30:00Z"],
    ["hace 2 días", "2026-11-20T15:30:00Z"],
    ["yesterday", "2026-11-21T15:30:00Z"],
    ["11/12/2024, 09:03 AM, +0000 UTC", "2024-11-12T09:03:00Z"],
    ["11/12/2024, 12:03 AM, +0200 EET", "2024-11-11T22:03:00Z"],
    ["11/12/2024, 12:03 PM, +0200 EET", "2024-11-12T10:03:00Z"],
  ])("%s", (text, expected) => expect(readDate(text, now)).toBe(expected));

  test.each([
    null,
    "",
    " ",
    "2024-02-30",
    "2023-02-29",
    "2024-13-01",
    "2024-05-02T25:00:00Z",
    "Oct 3",
    "03/01/2025",
    "Foo 3, 2024",
    "Juneteenth 3, 2024",
    "2 fortnights ago",
    "5 days",
    "soon",
    "11/12/2024, 13:03 PM",
    "2024-05-02T17:40:05+20:00",
  ])("never guesses: %j", (text) => expect(readDate(text, now)).toBeNull());

  test("a month before its longest day is the last day of the shorter month", () => {
    expect(readDate("1 month ago", Date.UTC(2026, 2, 31))).toBe("2026-02-28T00:00:00Z");
  });

  test("is total", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const date = readDate(text, now);
        expect(date === null || !Number.isNaN(Date.parse(date))).toBe(true);
      }),
    );
  });

  test("reads every moment that RFC 3339 can write as itself", () => {
    const moments = fc.date({ min: new Date("0100-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
    fc.assert(
      fc.property(moments, (date) => {
        expect(Date.parse(readDate(date.toISOString(), now) ?? "")).toBe(date.getTime());
      }),
    );
  });
});

test("every day of the calendar is a date, and no other", () => {
  const two = (number: number) => String(number).padStart(2, "0");
  for (const year of [1900, 2000, 2023, 2024]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${two(month)}-${two(day)}`;
        const at = Date.parse(`${text}T00:00:00Z`);
        const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
        expect(readDate(text, 0)).toBe(isDay ? `${text}T00:00:00Z` : null);
      }
    }
  }
});
