import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { escapeLineBreaks } from "./line-breaks.ts";

test("no line break of Unicode is left, and the value is the same", () => {
  const unit = fc.constantFrom("a", "\\", '"', "\n", "\r", "\v", "\f", "\u001c", "\u0085", "\u2028", "\u2029", "😀");
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const escaped = escapeLineBreaks(JSON.stringify(text));
      expect(escaped).not.toMatch(/[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/);
      expect(JSON.parse(escaped)).toBe(text);
    }),
  );
});

test("other text stays as it is", () => {
  expect(escapeLineBreaks('{"text":"Grüße, 日本 🎉"}')).toBe('{"text":"Grüße, 日本 🎉"}');
});
