import { expect, test } from "bun:test";
import fc from "fast-check";
import { sealSignature, unsealSignature } from "./sealed-signature.ts";

const seals = fc.record({
  signature: fc.record({
    vendor: fc.constantFrom("openai" as const, "google" as const),
    value: fc.string({ unit: "grapheme" }),
  }),
  id: fc.option(fc.string({ unit: "grapheme", minLength: 1 }), { nil: undefined }),
  of: fc.constantFrom("next" as const, "previous" as const, undefined),
});

test("a signature of another vendor comes back as it was", () => {
  fc.assert(fc.property(seals, (seal) => expect(unsealSignature(sealSignature(seal))).toEqual(seal)));
});

test("Anthropic's own stays as it is", () => {
  const own = { signature: { vendor: "anthropic", value: "EqQBCgIYAhIM" } } as const;
  expect(sealSignature(own)).toBe("EqQBCgIYAhIM");
  expect(unsealSignature("EqQBCgIYAhIM")).toEqual(own);
});

test.each([
  "tollgate.",
  "tollgate.other...x",
  "tollgate.google.beside..x",
  "tollgate.google..!.x",
  "tollgate.google..x",
])("%p is no sealed signature", (text) => {
  expect(unsealSignature(text)).toEqual({ signature: { vendor: "anthropic", value: text } });
});
