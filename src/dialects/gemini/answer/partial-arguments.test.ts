import { expect, test } from "bun:test";
import { openArgumentAssembler } from "./partial-arguments.ts";

const assembled = (...chunks: unknown[]) => {
  const assembler = openArgumentAssembler();
  for (const chunk of chunks) assembler.push(chunk);
  return JSON.parse(assembler.json()) as unknown;
};

test("values are set by path, strings in pieces", () => {
  expect(
    assembled(
      [{ jsonPath: "$.place.city", stringValue: "San ", willContinue: true }],
      [{ jsonPath: "$.place.city", stringValue: "Francisco" }],
      [
        { jsonPath: "$.days[0]", numberValue: 1 },
        { jsonPath: "$.days[1]", numberValue: 2 },
      ],
      [
        { jsonPath: "$.list[0]['a b']", boolValue: true },
        { jsonPath: "$.none", nullValue: "NULL_VALUE" },
      ],
    ),
  ).toEqual({ place: { city: "San Francisco" }, days: [1, 2], list: [{ "a b": true }], none: null });
});

test("no input gives no arguments, and invalid input is ignored", () => {
  expect(assembled()).toEqual({});
  expect(
    assembled(undefined, [
      null,
      { jsonPath: 1, stringValue: "a" },
      { jsonPath: "$", stringValue: "a" },
      { jsonPath: "$.a" },
    ]),
  ).toEqual({});
});

test("names of built-in properties are ordinary names", () => {
  expect(JSON.stringify(assembled([{ jsonPath: "$.__proto__.polluted", boolValue: true }]))).toBe(
    '{"__proto__":{"polluted":true}}',
  );
  expect("polluted" in {}).toBe(false);
});
