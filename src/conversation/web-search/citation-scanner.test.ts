import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { CitationScanner, maxCitations } from "./citation-scanner.ts";
import { FoundPages } from "./found-pages.ts";

const page = (url: string) => ({ url, title: `Title of ${url}`, snippet: "What it says.", publishedAt: null });
const pages = new FoundPages();
pages.add([page("https://a.example/"), page("https://b.example/x?y=1"), page("https://c.example/long/path")]);

/** The cited passages of a text that comes in these pieces, and their pages. */
function cited(pieces: readonly string[]): string[] {
  const scanner = new CitationScanner(pages);
  const text = pieces.join("");
  const found = [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()];
  return found.map(({ start = -1, end = -1, url }) => `${text.slice(start, end)} ${url}`);
}

describe("a citation", () => {
  test.each([
    ["Yes [1].", ["[1] https://a.example/"]],
    [
      "Yes[2], no [1][3].",
      ["[2] https://b.example/x?y=1", "[1] https://a.example/", "[3] https://c.example/long/path"],
    ],
    ["Both [1, 3]", ["[1, 3] https://a.example/", "[1, 3] https://c.example/long/path"]],
    ["See https://b.example/x?y=1.", ["https://b.example/x?y=1 https://b.example/x?y=1"]],
    ["See (https://a.example/)!", ["https://a.example/ https://a.example/"]],
    ["See https://a.example, too", ["https://a.example https://a.example/"]],
    ["[the page](https://c.example/long/path)", ["https://c.example/long/path https://c.example/long/path"]],
    ["😀 [1]", ["[1] https://a.example/"]],
  ])("is found in %p", (text, expected) => {
    expect(cited([text])).toEqual(expected);
  });

  test.each([
    ["[4] [0] [] [x] [1"],
    ["`items[1]` and `[2]`"],
    ["```ts\nlist[1] = [2];\nhttps://a.example/\n```"],
    ["https://a.example/other https://unknown.example/"],
    ["http://a.example/"],
  ])("is not made of %p", (text) => {
    expect(cited([text])).toEqual([]);
  });

  test("is found after code that was not closed on its line", () => {
    expect(cited(["a ` b\n[1]"])).toEqual(["[1] https://a.example/"]);
    expect(cited(["```\n[1]\n```\n[2]"])).toEqual(["[2] https://b.example/x?y=1"]);
  });

  test("is the same however the text is cut", () => {
    const piece = fc.constantFrom(
      ..."[1] [2,3] https://a.example/ https://b.example/x?y=1 ` ``` \n [ ] h http 1 , . 😀 word ".split(/(?<= )/),
    );
    const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), cuts, (words, at) => {
        const text = words.join("");
        const ends = [...new Set([0, ...at.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b);
        const pieces = ends.slice(1).map((end, index) => text.slice(ends[index], end));
        expect(cited(pieces)).toEqual(cited([text]));
      }),
      { numRuns: 500 },
    );
  });

  test("is one of so many at most in all texts of an answer", () => {
    const left = { citations: 3 };
    const [one, other] = [new CitationScanner(pages, left), new CitationScanner(pages, left)];
    expect(one.push("[1] [2]. ")).toHaveLength(2);
    expect(other.push("[1, 2, 3] https://a.example/ ")).toHaveLength(1);
    expect([...one.push("[1]"), ...one.end(), ...other.end()]).toEqual([]);
    const many = new CitationScanner(pages).push("[1]".repeat(5_000));
    expect(many).toHaveLength(maxCitations);
  });

  test("is found in time that grows with the text alone", () => {
    const scanner = new CitationScanner(pages);
    const begun = performance.now();
    for (let count = 0; count < 20_000; count++) scanner.push("https://");
    for (let count = 0; count < 20_000; count++) scanner.push("[1,");
    expect(performance.now() - begun).toBeLessThan(4_000);
  });
});
