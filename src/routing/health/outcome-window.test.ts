import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { createOutcomeWindow } from "./outcome-window.ts";

const step = fc.record({
  failed: fc.boolean(),
  waitMs: fc.oneof(fc.constantFrom(0, 4_999, 5_000, 55_000, 59_999, 60_000, 200_000), fc.nat(8_000)),
});

test("counts the calls of the last minute with a resolution of five seconds, for any schedule", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.array(step, { maxLength: 60, size: "max" }), (start, steps) => {
      const window = createOutcomeWindow();
      const calls: { at: number; failed: boolean }[] = [];
      let now = 1_700_000_000_000 + start;
      for (const { failed, waitMs } of steps) {
        now += waitMs;
        window.add(failed, now);
        calls.push({ at: now, failed });
        const bucket = (time: number) => Math.floor(time / 5_000);
        const recent = calls.filter(({ at }) => bucket(at) > bucket(now) - 12);
        expect(window.calls(now)).toBe(recent.length);
        const failures = recent.filter((call) => call.failed).length;
        expect(window.failureRate(now)).toBe(failures / recent.length);
      }
      expect(window.calls(now + 60_000)).toBe(0);
      expect(window.failureRate(now + 60_000)).toBe(0);
    }),
  );
});

test("clear() resets all counts", () => {
  const window = createOutcomeWindow();
  window.add(true, 1_000_000);
  window.clear();
  expect(window.calls(1_000_000)).toBe(0);
  window.add(false, 1_000_000);
  expect(window.failureRate(1_000_000)).toBe(0);
});

test("a clock that goes backwards loses no calls", () => {
  const window = createOutcomeWindow();
  window.add(true, 1_000_000);
  window.add(true, 900_000);
  expect(window.calls(900_000)).toBe(2);
});
