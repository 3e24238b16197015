import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { isTimeZone, isWithin, minuteOfDay, overlap, readTimeOfDay } from "./time-window.ts";

const windowOf = (from: string, to: string, timeZone = "UTC") => ({
  fromMinute: readTimeOfDay(from) ?? Number.NaN,
  toMinute: readTimeOfDay(to, true) ?? Number.NaN,
  timeZone,
});

test("times of day are read exactly, and 24:00 only as an end", () => {
  expect([readTimeOfDay("00:00"), readTimeOfDay("16:30"), readTimeOfDay("23:59")]).toEqual([0, 990, 1_439]);
  expect(readTimeOfDay("24:00", true)).toBe(0);
  for (const wrong of ["24:00", "24:01", "16:60", "7:30", "07:30:00", "", "noon", "-1:00"]) {
    expect(readTimeOfDay(wrong)).toBeNull();
  }
  expect(readTimeOfDay("24:01", true)).toBeNull();
});

test("a time zone has a name that this system knows", () => {
  for (const name of ["UTC", "Europe/Berlin", "Asia/Shanghai", "America/New_York"]) expect(isTimeZone(name)).toBe(true);
  for (const name of ["Mars/Olympus", "", "+08:00", "Europe", "Europe/Berlin; drop"])
    expect(isTimeZone(name)).toBe(false);
});

describe("a window", () => {
  const offPeak = windowOf("16:30", "00:30");

  test.each([
    ["2026-11-22T16:29:59.999Z", false],
    ["2026-11-22T16:30:00.000Z", true],
    ["2026-11-22T23:59:59.999Z", true],
    ["2026-11-23T00:00:00.000Z", true],
    ["2026-11-23T00:29:59.999Z", true],
    ["2026-11-23T00:30:00.000Z", false],
    ["2026-11-23T12:00:00.000Z", false],
  ])("that crosses midnight: %s is within: %p", (time, expected) => {
    expect(isWithin(offPeak, Date.parse(time))).toBe(expected);
  });

  test.each([
    // Berlin goes from 2:00 to 3:00 on this day: 2:30 does not exist.
    ["2026-03-29T00:59:59Z", "Europe/Berlin", "02:00", "03:00", false],
    ["2026-03-29T01:00:00Z", "Europe/Berlin", "02:00", "03:00", false],
    ["2026-03-29T01:00:00Z", "Europe/Berlin", "03:00", "04:00", true],
    // And from 3:00 back to 2:00 on this one: both hours that the clock calls 2 are within.
    ["2026-10-25T00:30:00Z", "Europe/Berlin", "02:00", "03:00", true],
    ["2026-10-25T01:30:00Z", "Europe/Berlin", "02:00", "03:00", true],
    ["2026-10-25T02:00:00Z", "Europe/Berlin", "02:00", "03:00", false],
    // A zone with a quarter of an hour.
    ["2026-11-22T10:14:00Z", "Asia/Kathmandu", "16:00", "17:00", false],
    ["2026-11-22T10:15:00Z", "Asia/Kathmandu", "16:00", "17:00", true],
  ])("follows the clock on the wall: %s in %s", (time, timeZone, from, to, expected) => {
    expect(isWithin(windowOf(from, to, timeZone), Date.parse(time))).toBe(expected);
  });

  const minute = fc.nat(1_439);
  const instant = fc.integer({ min: Date.parse("2020-01-01"), max: Date.parse("2030-01-01") });
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe");

  test("and those that fill the rest of the day hold every minute exactly once, in any zone and season", () => {
    const cuts = fc.uniqueArray(minute, { minLength: 2, maxLength: 6 }).map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(cuts, zone, instant, (cuts, timeZone, at) => {
        const windows = cuts.map((from, place) => {
          return { fromMinute: from, toMinute: cuts[(place + 1) % cuts.length] ?? 0, timeZone };
        });
        expect(windows.filter((each) => isWithin(each, at))).toHaveLength(1);
        for (const [place, one] of windows.entries()) {
          for (const other of windows.slice(place + 1)) expect(overlap(one, other)).toBe(false);
        }
      }),
    );
  });

  test("overlaps another exactly if they share a minute", () => {
    const any = fc.record({ fromMinute: minute, toMinute: minute }).filter((each) => each.fromMinute !== each.toMinute);
    fc.assert(
      fc.property(any, any, (one, other) => {
        const shares = Array.from({ length: 1_440 }, (_, minute) => minute * 60_000).some((at) => {
          return isWithin({ ...one, timeZone: "UTC" }, at) && isWithin({ ...other, timeZone: "UTC" }, at);
        });
        expect(overlap({ ...one, timeZone: "UTC" }, { ...other, timeZone: "UTC" })).toBe(shares);
      }),
      { numRuns: 60 },
    );
  });

  test("knows the minute of any instant, also before 1970", () => {
    expect(minuteOfDay("UTC", -1)).toBe(1_439);
    expect(minuteOfDay("Asia/Shanghai", Date.parse("2026-11-22T16:00:00Z"))).toBe(0);
  });
});
