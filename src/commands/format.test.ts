import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { readUsd } from "../billing/prices/rate.ts";
import { formatTable, formatUsd } from "./format.ts";

test("a table has aligned columns and no trailing spaces", () => {
  const rows = [
    ["MODEL", "USD", "PER"],
    ["a", "10.00", "image"],
    ["longer", "0.25", ""],
  ];
  expect(formatTable(rows, [1])).toBe("MODEL     USD  PER\na       10.00  image\nlonger   0.25");
});

test.each([
  [0, "0.00"],
  [1, "0.000001"],
  [25_000, "0.025"],
  [2_000_000, "2.00"],
  [1_234_567_890, "1234.56789"],
])("%d micro-USD is %s", (microusd, expected) => {
  expect(formatUsd(microusd)).toBe(expected);
});

test("a formatted amount parses to the same amount", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), (microusd) =>
      expect(readUsd(formatUsd(microusd))).toBe(microusd),
    ),
  );
});
