import { expect, test } from "bun:test";
import type { SumRow } from "../../api/types.ts";
import { bucketsOf, bucketStart, segmentAt, seriesOf } from "./buckets.ts";

const row = (day: string, model: string, requests: number): SumRow => {
  const nothing = { errors: 0, tokens: {}, total_tokens: 0, units: {}, amount_microusd: 0, cache_saved_microusd: 0 };
  return { day, model, requests, ...nothing };
};
const nameOf = ({ model }: SumRow) => model ?? "none";
const valueOf = ({ requests }: SumRow) => requests;

test("days follow each other at local midnight, and the last may be incomplete", () => {
  const from = bucketStart("2026-03-28");
  const starts = bucketsOf(from + 3_600, from + 3 * 86_400, "day");
  expect(starts.slice(0, 3)).toEqual(["2026-03-28", "2026-03-29", "2026-03-30"].map(bucketStart));
});

test("weeks begin on Monday", () => {
  const [first] = bucketsOf(bucketStart("2026-11-22"), bucketStart("2026-11-23"), "week");
  expect(first).toBe(bucketStart("2026-11-16"));
});

test("a day without requests is a zero, and small groups are one", () => {
  const starts = [bucketStart("2026-01-01"), bucketStart("2026-01-02")];
  const models = Array.from({ length: 8 }, (_, place) => row("2026-01-02", `m${place}`, 10 - place));
  const series = seriesOf(models, "day", starts, nameOf, valueOf, "Others");
  expect(series.map(({ name }) => name)).toEqual(["m0", "m1", "m2", "m3", "m4", "Others"]);
  expect(series[0]?.values).toEqual([0, 10]);
  expect(series[5]?.values).toEqual([0, 5 + 4 + 3]);
});

test("a height in a bar belongs to a part of it, and above it to none", () => {
  const series = [
    { name: "a", values: [2, 0] },
    { name: "b", values: [3, 4] },
  ];
  expect([0, 1.9, 2, 4.9, 5].map((height) => segmentAt(series, 0, height))).toEqual(["a", "a", "b", "b", null]);
  expect(segmentAt(series, 1, 1)).toBe("b");
});
