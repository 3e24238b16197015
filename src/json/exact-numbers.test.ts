import { expect, test } from "bun:test";
import fc from "fast-check";
import { ExactNumber, parseExactly } from "./exact-numbers.ts";
import { isObject } from "./values.ts";

test("whole numbers keep every digit, at any place", () => {
  for (const text of [
    '{"a":9007199254740993,"b":[-12345678901234567890,{"c":9007199254740991}]}',
    "[123456789012345678901234567890]",
    '[18446744073709551615,"18446744073709551616",1.5,1e-7]',
  ]) {
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  }
  expect(parseExactly('{"a": 9007199254740993}')).toEqual({ a: new ExactNumber("9007199254740993") });
  expect(isObject(new ExactNumber("9007199254740993"))).toBe(false);
});

test("any JSON is read as by JSON.parse", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 2 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(JSON.stringify(parseExactly(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("any whole numbers survive being read and written", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt()), (numbers) => {
      const text = `{"numbers":[${numbers.join(",")}]}`;
      expect(JSON.stringify(parseExactly(text))).toBe(text);
    }),
  );
});

test("invalid JSON is an error", () => {
  expect(() => parseExactly("{")).toThrow(SyntaxError);
  expect(() => parseExactly('{"a":12345678901234567890')).toThrow(SyntaxError);
});

/** The same by a reviver, which sees each number's own text. */
function parsedByReviver(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? "";
    return /^-?\d+$/.test(source) ? new ExactNumber(source) : value;
  });
}

test("long numbers are found at their own places, in any structure and spacing", () => {
  const number = fc.oneof(
    fc.bigInt(),
    fc.constantFrom("1e30", "-1.5e-7", "12345678901234567890.5", "9007199254740993"),
  );
  const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "a", "\\", '"', ""));
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      number.map(String),
      fc.string().map((text) => JSON.stringify(text)),
      fc.array(tie("tree")).map((items) => `[ ${items.join(" ,")}]`),
      fc
        .array(fc.tuple(name, tie("tree")))
        .map((fields) => `{${fields.map(([key, value]) => `${JSON.stringify(key)} : ${value}`).join(", ")} }`),
    ),
  }));
  fc.assert(
    fc.property(tree, (text) => {
      expect(parseExactly(text, true)).toEqual(parsedByReviver(text));
    }),
  );
});
