import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { plainContent, plainText } from "./plain-text.ts";
import { withoutMarkup } from "./without-markup.ts";

describe("plainText", () => {
  test.each([
    ["a <strong>bold</strong> word", "a bold word"],
    ["<p>one</p><p>two</p>", "one two"],
    ["first<br/>second", "first second"],
    ["AT&amp;T &#39;s &#x27;x&#X27; &quot;q&quot; &nbsp;&hellip;", "AT&T 's 'x' \"q\" …"],
    ["&eacute;t&eacute; &alpha;&Omega; &euro;5", "été αΩ €5"],
    ["Array<string> and 1 < 2 > 0", "Array<string> and 1 < 2 > 0"],
    ["a <script>alert('<b>')</script> b<!-- c --> d", "a b d"],
    ['<a href="https://x.test" title="t">link</a>', "link"],
    ["&unknown; &amp;lt; &#0; &#xd800;", "&unknown; &lt; \ufffd \ufffd"],
    [" a\u0000\n\tb ", "a b"],
    ["", ""],
  ])("%j", (marked, plain) => expect(plainText(marked)).toBe(plain));

  test("is total, gives one line without control characters, and leaves plain words alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const plain = plainText(text);
        expect(plain).not.toMatch(/\p{Cc}/u);
        expect(plain.isWellFormed()).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9.,;]{1,9}$/), { minLength: 1 }), (words) => {
        expect(plainText(words.join(" "))).toBe(words.join(" "));
      }),
    );
  });

  test("takes no longer for hostile text", () => {
    const started = performance.now();
    for (const text of ["<a ", "<script>", "&amp", "<!--", "<p <p "]) plainText(text.repeat(200_000 / text.length));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

test("plainContent keeps line breaks", () => {
  expect(plainContent("# Title\r\n\r\n<b>x</b> &amp; y\u0007\n")).toBe("# Title\n\nx & y");
});

test("a text is left as it is only if there is nothing to put on one line", () => {
  for (let code = 0; code < 0x1_0000; code++) {
    const character = String.fromCharCode(code);
    const isBlank = /[\s\p{Cc}]/u.test(character);
    const expected = isBlank ? "a b" : `a${character.toWellFormed()}b`;
    if (character !== "<" && character !== "&") expect(plainText(`a${character}b`)).toBe(expected);
  }
  expect(plainText("a  b")).toBe("a b");
});

test("tags of emphasis and common entities are taken out alike, whatever stands beside them", () => {
  const tags = ["<b>", "</b>", "<strong>", "</em>", "<mark>", "<p>", "<script>"];
  const entities = ["&quot;", "&#x27;", "&#39;", "&lt;", "&gt;", "&nbsp;", "&amp;", "&eacute;"];
  const parts = ["<", ">", "</", "b", " ", "&", "&am", "p;", "quot;", "#39;", "amp;"];
  const piece = fc.constantFrom(...tags, ...entities, ...parts);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      // An entity that few texts have takes the way that reads each tag by itself.
      expect(`${withoutMarkup(pieces.join(""))} ζ`).toBe(withoutMarkup(`${pieces.join("")} &zeta;`));
    }),
    { numRuns: 10_000 },
  );
});
