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

test("many that expire at once are told in several turns of the event loop", async () => {
  const { deadlines } = setUp();
  let turn = 0;
  const inTurn = new Map<number, number>();
  const finished = Promise.withResolvers<void>();
  let left = 30;
  const burn = () => {
    const until = performance.now() + 3;
    while (performance.now() < until) continue;
    inTurn.set(turn, (inTurn.get(turn) ?? 0) + 1);
    if (--left === 0) finished.resolve();
  };
  const count = () => {
    turn++;
    if (left > 0) setImmediate(count);
  };
  count();
  for (let index = 0; index < 30; index++) deadlines.watch(0, burn);
  await finished.promise;
  expect(Math.max(...inTurn.values())).toBeLessThan(6);
});
