import { expect, test } from "bun:test";
import fc from "fast-check";
import { withoutMembers } from "./without-members.ts";

/** Only large texts are searched. */
const filler = "x".repeat(64 << 10);

function emptied(value: unknown, name: string, indent?: number): unknown {
  const text = JSON.stringify([value, filler], null, indent);
  return (JSON.parse(Buffer.from(withoutMembers(Buffer.from(text), name)).toString()) as unknown[])[0];
}

test.each([undefined, 2])("arrays and objects of the name are emptied, all else is kept (indent %p)", (indent) => {
  const nested = { content: [{ token: '"}]\\', top: [{ bytes: [1] }] }], more: {} };
  expect(emptied({ a: 1, logprobs: nested, usage: { b: [2] } }, "logprobs", indent)).toEqual({
    a: 1,
    logprobs: {},
    usage: { b: [2] },
  });
  expect(emptied([{ values: [-0.5, 1e-7] }, { values: [] }], "values", indent)).toEqual([
    { values: [] },
    { values: [] },
  ]);
});

test("the name as a value, as a part of a text or of another name, or before null stays", () => {
  const value = { a: "logprobs", logprobs: null, 'x"logprobs': [1], b: '"logprobs": [1]', logprobsResult: [1] };
  expect(emptied(value, "logprobs")).toEqual(value);
});

test("short texts, and texts that break off, stay as they are", () => {
  const short = Buffer.from('{"values":[1]}');
  expect(withoutMembers(short, "values")).toBe(short);
  for (const open of ['{"values":[1,2', '{"values":{"a":"', '{"values"', '{"values":']) {
    const text = JSON.stringify(filler) + open;
    expect(Buffer.from(withoutMembers(Buffer.from(text), "values")).toString()).toBe(text);
  }
});

test("what is left of any JSON is that JSON without these members", () => {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const isCut = name === "v" && typeof member === "object" && member !== null;
        return [name, isCut ? (Array.isArray(member) ? [] : {}) : without(member)];
      }),
    );
  };
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant('"v":['),
      fc.array(tie("value")),
      fc.dictionary(fc.constantFrom("v", "w", "x\\", '"v"'), tie("value")),
    ),
  })).value;
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1), (value, indent) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(emptied(plain, "v", indent)).toEqual(JSON.parse(JSON.stringify(without(plain))));
    }),
    { numRuns: 200 },
  );
});
