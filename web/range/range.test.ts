import { expect, test } from "bun:test";
import { rangeBefore, readRange, unitOf, writeQuarters, writeRange } from "./range.ts";

const now = 1_800_000_330_000;

test("a preset reaches from a quarter of an hour until now", () => {
  expect(readRange("1h", now)).toEqual({ from: 1_800_000_000 - 3_600, to: null });
});

test("the time before a range is as long, and ends where it begins", () => {
  expect(rangeBefore({ from: 5_000, to: 6_000 })).toEqual({ from: 4_000, to: 5_000 });
  expect(rangeBefore(readRange("1h", now), now)).toEqual({ from: 1_800_000_000 - 7_200, to: 1_800_000_000 - 3_600 });
});

test("a part of a chart is widened to quarters of an hour", () => {
  expect(writeQuarters(1_000, 2_000)).toBe("900-2700");
});

test("what is no range counts as seven days", () => {
  for (const text of [undefined, "", "1y", "5-4", "toString", "-1-5"]) {
    expect(readRange(text, now)).toEqual({ from: 1_800_000_000 - 604_800, to: null });
  }
});

test("a written range is read back", () => {
  expect(readRange(writeRange(100.9, 200.1), now)).toEqual({ from: 100, to: 201 });
});

test("a longer range is told apart by larger units", () => {
  expect(unitOf(readRange("24h", now), now)).toBe("hour");
  expect(unitOf(readRange("30d", now), now)).toBe("day");
  expect(unitOf({ from: 0, to: null }, now)).toBe("week");
});
