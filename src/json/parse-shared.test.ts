import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseShared } from "./parse-shared.ts";

const long = fc
  .tuple(fc.constantFrom("a", "ä", "漢", "😀", "\\n", "\\u0041", '\\"', "\n", "b c, :[]{}"), fc.nat(3))
  .map(([piece, more]) => `"${piece.repeat(Math.ceil(((more + 1) * 50_000) / piece.length))}"`);
const short = fc.constantFrom("1", "null", "true", "-1.5e3", '"x"', '""', '"cut 0"', "[]", "{}");
const value = fc.oneof({ weight: 3, arbitrary: long }, short);
const member = fc.tuple(fc.oneof(fc.constantFrom('"a"', '"__proto__"', '"b" '), long), value);
const json = fc.oneof(
  fc.array(value, { minLength: 8, maxLength: 14 }).map((values) => `[${values.join(", ")}]`),
  fc.array(member, { minLength: 8, maxLength: 12 }).map((members) => `{${members.map((m) => m.join(":")).join()}}`),
);
const padded = json.map((text) => `${text.slice(0, 1)}${" ".repeat(1 << 20)}${text.slice(1)}`);
/** Some are cut off, or followed by something. */
const texts = fc.oneof(
  json,
  padded,
  fc.tuple(padded, fc.nat(400_000)).map(([text, cut]) => text.slice(0, -cut)),
  padded.map((text) => `${text}"`),
);

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return "not JSON";
  }
}

test("gives the same as JSON.parse, and refuses the same", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(outcome(() => parseShared(text))).toEqual(outcome(() => JSON.parse(text)));
    }),
    { numRuns: 150 },
  );
});
