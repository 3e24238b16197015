import { expect, test } from "bun:test";
import { createOutcomeHistory, historyBucketMs, historyBuckets, noOutcomes } from "./outcome-history.ts";

const sums = (history: ReturnType<typeof createOutcomeHistory>, now: number) => {
  const all = noOutcomes();
  const found = history.addTo(all, now);
  return { found, ok: all.ok, failed: all.failed };
};

test("calls are counted in the half hour in which they end, oldest first", () => {
  const history = createOutcomeHistory();
  expect(sums(history, 0).found).toBe(false);
  history.add(false, 0);
  history.add(false, historyBucketMs - 1);
  history.add(true, historyBucketMs);
  const { found, ok, failed } = sums(history, historyBucketMs + 1);
  expect(found).toBe(true);
  expect(ok).toHaveLength(historyBuckets);
  expect([ok.at(-2), failed.at(-2), ok.at(-1), failed.at(-1)]).toEqual([2, 0, 0, 1]);
});

test("what is older than a day is forgotten, whether or not anything came since", () => {
  const history = createOutcomeHistory();
  history.add(true, 10 * historyBucketMs);
  expect(sums(history, (10 + historyBuckets - 1) * historyBucketMs).failed[0]).toBe(1);
  expect(sums(history, (10 + historyBuckets) * historyBucketMs).found).toBe(false);
  history.add(false, 500 * historyBucketMs);
  history.add(false, 503 * historyBucketMs);
  const { ok, failed } = sums(history, 503 * historyBucketMs);
  expect(ok.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(failed.every((count) => count === 0)).toBe(true);
});

test("targets are summed into one strip", () => {
  const all = noOutcomes();
  for (const isFailure of [true, false, false]) {
    const history = createOutcomeHistory();
    history.add(isFailure, 7 * historyBucketMs);
    expect(history.addTo(all, 7 * historyBucketMs)).toBe(true);
  }
  expect([all.ok.at(-1), all.failed.at(-1)]).toEqual([2, 1]);
});
