import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { FoundPages, maxResultBytes } from "./found-pages.ts";

const page = fc.record({
  url: fc.webUrl(),
  title: fc.string({ maxLength: 2_000, unit: "grapheme" }),
  snippet: fc.string({ maxLength: 8_000, unit: "grapheme" }),
  publishedAt: fc.constantFrom(null, "2026-11-22T00:00:00Z"),
});

test("results are bounded, whatever was found, and all that is told is numbered", () => {
  fc.assert(
    fc.property(fc.array(page, { maxLength: 30 }), fc.array(page, { maxLength: 5 }), (first, second) => {
      const pages = new FoundPages();
      for (const found of [first, second]) {
        const { text, told } = pages.add(found);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxResultBytes + 32);
        expect(text.isWellFormed()).toBe(true);
        for (const { url } of told) expect(text).toContain(url);
      }
      const told = first.length + second.length;
      expect(pages.page(told + 1)).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});

test("numbers go on through the searches of one answer", () => {
  const pages = new FoundPages();
  const of = (url: string) => ({ url, title: "T", snippet: "S", publishedAt: null });
  expect(pages.add([of("https://a.example/"), of("https://b.example/")]).text).toContain(
    "[2] T\nhttps://b.example/\nS",
  );
  expect(pages.add([of("https://c.example/")]).text).toContain("[3] T\nhttps://c.example/\nS");
  expect(pages.page(3)?.url).toBe("https://c.example/");
});

test("a search that finds nothing says so", () => {
  expect(new FoundPages().add([]).text).toContain("Nothing was found.");
});
