import { expect, test } from "bun:test";
import { parseDuration } from "./duration.ts";

test.each([
  ["0s", 0],
  ["30s", 30_000],
  ["15m", 900_000],
  ["12h", 43_200_000],
  ["30d", 2_592_000_000],
  ["3650d", 315_360_000_000],
])("%s is %d ms", (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test.each(["", "30", "s", "-1s", "1.5h", "1w", "1 d", "1D", "3651d", "9999999999s"])("%j is not a duration", (text) => {
  expect(parseDuration(text)).toBeNull();
});
