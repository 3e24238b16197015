import { expect, test } from "bun:test";
import { startsOf } from "./attempt-starts.ts";

test("attempts begin when their record says so, and follow one another if it does not", () => {
  const at = (started: number | null, latency: number) => ({ started_after_ms: started, latency_ms: latency });
  // The second is a hedge, and the third waited before its retry.
  expect(startsOf([at(3, 170), at(153, 10), at(900, 20)])).toEqual([3, 153, 900]);
  expect(startsOf([at(null, 170), at(null, 10), at(null, 20)])).toEqual([0, 170, 180]);
  expect(startsOf([at(null, 50)])).toEqual([0]);
  expect(startsOf([])).toEqual([]);
});
