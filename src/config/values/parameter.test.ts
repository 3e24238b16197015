import { expect, test } from "bun:test";
import { readParameter } from "./values.ts";

test.each([[true], [false], [0], [4_096], [["alloy", "ash"]], [[4, 8, 12]], [["4", 8]]])(
  "%j is read as it is",
  (value) => {
    expect(readParameter(value)).toEqual(value);
  },
);

test.each([["maybe"], [-1], [NaN], [Infinity], [null], [{}], [[]], [[""]], [[true]], [["a\u0000b"]], [[["alloy"]]]])(
  "%j is refused",
  (value) => {
    expect(readParameter(value)).toBeUndefined();
  },
);

test("a list of more than 500 is refused", () => {
  expect(readParameter(Array.from({ length: 501 }, String))).toBeUndefined();
});
