import { describe, expect, test } from "bun:test";
import { createTally, ownTime } from "./holds.ts";

const ms = 1e6;

describe("the own time of a turn", () => {
  test("is running and blocking, without waiting for a core", () => {
    expect(ownTime({ wall: 9 * ms, cpu: 4 * ms, delay: 3 * ms, late: null })).toBe(6 * ms);
  });

  test("has no sleep in it: if the loop may have slept, it ran or it was late", () => {
    expect(ownTime({ wall: 9 * ms, cpu: 1 * ms, delay: 0, late: 0 })).toBe(1 * ms);
    expect(ownTime({ wall: 9 * ms, cpu: 1 * ms, delay: 2 * ms, late: 8 * ms })).toBe(6 * ms);
  });
});

describe("a tally of turns", () => {
  const turn = (own: number) => ({ wall: own * ms, cpu: own * ms, delay: 0, late: null });

  test("counts a turn above every threshold that it exceeds, and none at a threshold", () => {
    const tally = createTally();
    for (const own of [1, 2, 3, 6, 60]) tally.add(turn(own));
    const { turns, longest, held } = tally.take(100 * ms);
    expect({ turns, longest }).toEqual({ turns: 5, longest: 60 });
    expect(held).toEqual([
      { aboveMilliseconds: 2, turns: 3, milliseconds: 69 },
      { aboveMilliseconds: 5, turns: 2, milliseconds: 66 },
      { aboveMilliseconds: 10, turns: 1, milliseconds: 60 },
      { aboveMilliseconds: 50, turns: 1, milliseconds: 60 },
    ]);
  });

  test("begins anew with each window", () => {
    const tally = createTally();
    tally.add({ wall: 9 * ms, cpu: 3 * ms, delay: 2 * ms, late: null });
    expect(tally.take(10 * ms)).toMatchObject({ wall: 10, turns: 1, longest: 7, blocked: 4, waitedForCore: 2 });
    expect(tally.take(10 * ms)).toMatchObject({ turns: 0, longest: 0, blocked: 0, waitedForCore: 0 });
  });
});
