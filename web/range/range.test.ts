import { expect, test } from "bun:test";
import { readRange, unitOf, writeRange } from "./range.ts";

const now = 1_800_000_030_000;

test("a preset reaches from whole minutes until now", () => {
  expect(readRange("1h", now)).toEqual({ from: 1_800_000_000 - 3_600, to: null });
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
