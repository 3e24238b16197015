import { expect, test } from "bun:test";
import { createDeadlines } from "./deadlines.ts";

function setUp() {
  const clock = { time: 1_000, now: () => clock.time };
  const deadlines = createDeadlines(clock);
  const told: string[] = [];
  const watch = (name: string, at: number) => deadlines.watch(at, () => told.push(name));
  return { clock, deadlines, told, watch };
}

test("who has expired is told once, the others are not", () => {
  const { clock, deadlines, told, watch } = setUp();
  const moved = watch("moved", 1_010);
  const ended = watch("ended", 1_010);
  watch("early", 1_010);
  watch("late", 1_011);
  moved.at = 1_100;
  deadlines.unwatch(ended);
  clock.time = 1_010;
  deadlines.check();
  deadlines.check();
  expect(told).toEqual(["early"]);
  clock.time = 1_100;
  deadlines.check();
  expect(told).toEqual(["early", "moved", "late"]);
});

test("one that watches anew as it expires is told once a tick, however short its time", () => {
  const { deadlines } = setUp();
  let times = 0;
  const again = () => {
    times++;
    if (times < 5) deadlines.watch(0, again);
  };
  deadlines.watch(0, again);
  deadlines.check();
  expect(times).toBe(1);
  deadlines.check();
  expect(times).toBe(2);
});

test("one that another ends as both expire is not told", () => {
  const { deadlines, told } = setUp();
  deadlines.watch(0, () => deadlines.unwatch(second));
  const second = deadlines.watch(0, () => told.push("second"));
  deadlines.check();
  expect(told).toEqual([]);
});
