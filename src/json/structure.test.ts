import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonBounds, measureStructure } from "./structure.ts";

const measure = (text: string) => {
  const { nodes, separators } = measureStructure(Buffer.from(text));
  return { nodes, separators };
};
const repeated = (count: number, text: string) => `[${Array.from({ length: count }, () => text).join(",")}]`;

test("counts strings, objects, arrays and commas, however strings are written", () => {
  expect(measure('{"a":[1,2,{}],"b\\"{[,":"\\\\"}')).toEqual({ nodes: 6, separators: 3 });
  expect(measure("1")).toEqual({ nodes: 0, separators: 0 });
});

test("locates long strings", () => {
  const long = "a\\n".repeat(30_000);
  const text = `{"short":"b","${long}":["${long}"]}`;
  const { longStrings } = measureStructure(Buffer.from(text));
  expect(longStrings.map(([start, end]) => text.slice(start, end))).toEqual([long, long]);
});

test("counts the same as in the parsed value", () => {
  const count = (value: unknown): { nodes: number; separators: number } => {
    if (typeof value === "string") return { nodes: 1, separators: 0 };
    if (typeof value !== "object" || value === null) return { nodes: 0, separators: 0 };
    const inner = Object.values(value).map(count);
    const names = Array.isArray(value) ? 0 : inner.length;
    return {
      nodes: inner.reduce((sum, { nodes }) => sum + nodes, 1 + names),
      separators: inner.reduce((sum, { separators }) => sum + separators, Math.max(0, inner.length - 1)),
    };
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 2 }), (value, indent) => {
      expect(measure(JSON.stringify(value, null, indent))).toEqual(count(JSON.parse(JSON.stringify(value))));
    }),
  );
});

const apart = (escape: string, count: number) => `${escape}${"a".repeat(20)}`.repeat(count);

const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",")}}`;

const { depth, nodes, names, separators, escapes, escapesApart, bytesOutsideStrings } = jsonBounds;

test.each([
  ["levels", "[".repeat(depth) + "]".repeat(depth), "[".repeat(depth + 1)],
  ["strings, objects and arrays", repeated(nodes - 1, "{}"), repeated(nodes, '"a"')],
  ["different names", members(names * 0.99), members(names * 1.05)],
  ["values", repeated(separators + 1, "1"), repeated(separators + 2, "1")],
  ["escaped characters", `"${"\\n".repeat(escapes)}"`, `"${'\\"'.repeat(escapes + 1)}"`],
  ["separate escaped characters", `"${apart("\\n", escapesApart)}"`, `"${apart('\\"', escapesApart + 1)}"`],
  ["bytes outside of its strings", `"a"${" ".repeat(bytesOutsideStrings - 1)}`, "1".repeat(bytesOutsideStrings + 1)],
])("refuses more %s than the bound, and no fewer", (what, within, beyond) => {
  expect(() => measure(within)).not.toThrow();
  expect(() => measure(beyond)).toThrow(what);
});

test("accepts text that is not JSON", () => {
  fc.assert(fc.property(fc.string(), (text) => void measure(text)));
  fc.assert(fc.property(fc.stringMatching(/^["\\u{}[\],:]*$/), (text) => void measure(text)));
});
