import { expect, test } from "bun:test";
import { readByteRange } from "./byte-range.ts";

test.each([
  ["bytes=0-0", { start: 0, end: 1 }],
  ["bytes=2-5", { start: 2, end: 6 }],
  ["bytes=5-", { start: 5, end: 10 }],
  ["bytes=5-1000", { start: 5, end: 10 }],
  ["bytes=-3", { start: 7, end: 10 }],
  ["bytes=-1000", { start: 0, end: 10 }],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=10-20", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=99999999999999999999-", "unsatisfiable"],
  ["bytes=5-99999999999999999999", { start: 5, end: 10 }],
  ["bytes=5-2", null],
  ["bytes=-", null],
  ["bytes=a-b", null],
  ["bytes=0-1,4-5", null],
  ["items=0-1", null],
  [null, null],
] as const)("%p of 10 bytes", (header, expected) => {
  expect(readByteRange(header, 10)).toEqual(expected);
});
