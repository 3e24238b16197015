import { describe, expect, test } from "bun:test";
import { cutAt, checkTimeZone, type TimeUnit } from "./calendar.ts";

const at = (text: string) => Date.parse(text);
const cut = (units: readonly TimeUnit[], zone: string, from: string, to: string) =>
  cutAt(units, zone, { from: at(from), to: at(to) }).map(({ from: start, labels }) => [
    new Date(start).toISOString().slice(0, 16),
    ...labels,
  ]);

describe("cutting times", () => {
  test("days of a zone with a part of an hour, and the ends of the range", () => {
    expect(cut(["day"], "Asia/Kathmandu", "2026-11-20T01:00:00Z", "2026-11-21T18:16:00Z")).toEqual([
      ["2026-11-20T01:00", "2026-11-20"],
      ["2026-11-20T18:15", "2026-11-21"],
      ["2026-11-21T18:15", "2026-11-22"],
    ]);
  });

  test("a day in which the clock is turned back has 25 hours, and two of them are told apart by their offset", () => {
    const hours = cut(["hour", "day"], "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z");
    expect(hours).toHaveLength(25);
    expect(hours.slice(2, 4)).toEqual([
      ["2026-10-25T00:00", "2026-10-25T02:00:00+02:00", "2026-10-25"],
      ["2026-10-25T01:00", "2026-10-25T02:00:00+01:00", "2026-10-25"],
    ]);
  });

  test("a clock that is turned back by half an hour", () => {
    expect(cut(["hour"], "Australia/Lord_Howe", "2026-04-04T14:00:00Z", "2026-04-04T16:30:00Z")).toEqual([
      ["2026-04-04T14:00", "2026-04-05T01:00:00+11:00"],
      ["2026-04-04T15:00", "2026-04-05T01:00:00+10:30"],
      ["2026-04-04T15:30", "2026-04-05T02:00:00+10:30"],
    ]);
  });

  test("weeks begin on Monday, and weeks and months cut each other", () => {
    expect(cut(["week", "month"], "UTC", "2026-10-30T00:00:00Z", "2026-11-10T00:00:00Z")).toEqual([
      ["2026-10-30T00:00", "2026-10-26", "2026-10"],
      ["2026-11-01T00:00", "2026-10-26", "2026-11"],
      ["2026-11-02T00:00", "2026-11-02", "2026-11"],
      ["2026-11-09T00:00", "2026-11-09", "2026-11"],
    ]);
  });

  test("without units the range is one", () => {
    expect(cut([], "UTC", "2026-10-30T00:00:00Z", "2026-11-10T00:00:00Z")).toEqual([["2026-10-30T00:00"]]);
  });

  test("too many times are refused", () => {
    expect(() => cut(["hour"], "UTC", "2000-01-01T00:00:00Z", "2026-01-01T00:00:00Z")).toThrow("'by'");
  });
});

test.each(["Mars/Olympus", "", "+08:00", "utc\0", "Europe/Berlin "])("%p is no time zone", (zone) => {
  expect(() => checkTimeZone(zone)).toThrow("'time_zone'");
});
