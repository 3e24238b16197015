import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { budgetPeriods } from "./budget.ts";
import { endless, periodAt } from "./budget-period.ts";

const at = (text: string) => Date.parse(text);
const shown = (per: "day" | "week" | "month" | "total", timeZone: string, instant: string) => {
  const { startsAt, endsAt } = periodAt({ per, timeZone }, at(instant));
  return [new Date(startsAt).toISOString(), new Date(endsAt).toISOString()];
};

describe("the period of a budget", () => {
  test("is a calendar day, week from Monday or month of its time zone", () => {
    const noon = "2026-11-22T12:00:00Z";
    expect(shown("day", "UTC", noon)).toEqual(["2026-11-22T00:00:00.000Z", "2026-11-23T00:00:00.000Z"]);
    expect(shown("week", "UTC", noon)).toEqual(["2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"]);
    expect(shown("month", "UTC", noon)).toEqual(["2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"]);
    expect(shown("day", "Asia/Tokyo", "2026-11-22T15:00:00Z")).toEqual([
      "2026-11-22T15:00:00.000Z",
      "2026-11-23T15:00:00.000Z",
    ]);
    expect(shown("month", "America/New_York", "2026-12-01T04:59:59.999Z")).toEqual([
      "2026-11-01T04:00:00.000Z",
      "2026-12-01T05:00:00.000Z",
    ]);
  });

  test("is an hour shorter or longer when clocks change, also where they skip midnight", () => {
    expect(shown("day", "Europe/Berlin", "2026-03-29T12:00:00Z")).toEqual([
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
    expect(shown("day", "Africa/Cairo", "2026-04-24T12:00:00Z")[0]).toBe("2026-04-23T22:00:00.000Z");
  });

  test("of a session and of all time has no end", () => {
    for (const per of ["session", "total"] as const) {
      expect(periodAt({ per, timeZone: "UTC" }, 5)).toEqual({ startsAt: 0, endsAt: endless });
    }
  });

  test("holds its instant, and the next begins where it ends", () => {
    const zones = [
      "UTC",
      "Europe/Berlin",
      "America/Sao_Paulo",
      "Pacific/Apia",
      "Asia/Kathmandu",
      "Australia/Lord_Howe",
    ];
    const instant = fc.integer({ min: at("2020-01-01T00:00:00Z"), max: at("2035-01-01T00:00:00Z") });
    fc.assert(
      fc.property(fc.constantFrom(...budgetPeriods), fc.constantFrom(...zones), instant, (per, timeZone, now) => {
        const { startsAt, endsAt } = periodAt({ per, timeZone }, now);
        expect(startsAt <= now && now < endsAt).toBe(true);
        if (endsAt === endless) return;
        expect(periodAt({ per, timeZone }, startsAt)).toEqual({ startsAt, endsAt });
        expect(periodAt({ per, timeZone }, endsAt - 1)).toEqual({ startsAt, endsAt });
        expect(periodAt({ per, timeZone }, endsAt).startsAt).toBe(endsAt);
      }),
    );
  });
});
