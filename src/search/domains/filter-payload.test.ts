import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { noRules } from "./domain-rules.ts";
import { filterPayload, isAllowedText } from "./filter-payload.ts";

const rules = { include: new Set(["example.com"]), exclude: new Set(["private.example.com"]) };

describe("filterPayload", () => {
  test("leaves out objects about pages outside, and addresses outside", () => {
    const payload = {
      results: [
        { url: "https://example.com/1", images: ["https://example.com/i", "https://evil.test/i"], n: 1 },
        { url: "https://evil.test/2", title: "x" },
        { link: "https://private.example.com/", title: "x" },
      ],
      text: "see https://evil.test",
    };
    expect(filterPayload(payload, rules, true)).toEqual({
      results: [{ url: "https://example.com/1", images: ["https://example.com/i"], n: 1 }],
      text: "see https://evil.test",
    });
  });

  test("leaves out texts of the provider's own unless its answer is given", () => {
    expect(filterPayload({ answer: "a", x: { summary: "s" } }, rules, false)).toEqual({ x: {} });
    expect(filterPayload({ answer: "a" }, rules, true)).toEqual({ answer: "a" });
  });

  test("leaves out those texts also if the rules exclude domains alone", () => {
    const excluding = { include: null, exclude: new Set(["evil.test"]) };
    const payload = { answer: "a", ai_overview: { text_blocks: [] }, n: 1 };
    expect(filterPayload(payload, excluding, false)).toEqual({ n: 1 });
    expect(filterPayload(payload, excluding, true)).toEqual(payload);
  });

  test("leaves out all pages in one text, and what is known of the subject", () => {
    const payload = { context: "URL: https://evil.test/ ...", knowledgeGraph: { description: "x" } };
    expect(filterPayload({ ...payload, knowledge_graph: { description: "x" } }, rules, false)).toEqual({});
  });

  test("leaves out objects by where they say that they come from", () => {
    const from = (link: string) => ({ description: "x", source: { name: "y", link } });
    expect(filterPayload({ a: from("https://evil.test/"), b: from("https://example.com/") }, rules, true)).toEqual({
      b: from("https://example.com/"),
    });
  });

  test("takes no longer for sources of sources", () => {
    const deep = JSON.parse(`${'{"source":'.repeat(30)}1${"}".repeat(30)}`);
    expect(filterPayload(deep, rules, true)).toEqual(deep);
  });

  test("leaves out fields whose name is an address outside", () => {
    const links = { "https://evil.test/": "x", "https://example.com/": "y" };
    expect(filterPayload({ links }, rules, true)).toEqual({ links: { "https://example.com/": "y" } });
  });

  test.each(["//evil.test/x", "evil.test/x", "/x", "javascript:alert(1)"])(
    "leaves out an object about %s, which is no whole address",
    (url) => expect(filterPayload({ results: [{ url, title: "x" }] }, rules, true)).toEqual({ results: [] }),
  );

  test("leaves out what is deeper, or beyond the number of addresses, than it looks", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`);
    expect(JSON.stringify(filterPayload(deep, rules, true))).not.toContain("1");
    const urls = Array.from({ length: 6_000 }, (_, index) => `https://example.com/${index}`);
    expect(filterPayload({ urls }, rules, true)).toEqual({ urls: urls.slice(0, 5_000) });
  });

  test("passes everything on without rules, and is total", () => {
    const names = fc.constantFrom("url", "link", "x", "__proto__", "answer");
    const values = fc.oneof(fc.jsonValue(), fc.webUrl(), fc.dictionary(names, fc.oneof(fc.webUrl(), fc.jsonValue())));
    fc.assert(
      fc.property(fc.dictionary(names, values), (payload) => {
        expect(filterPayload(payload, noRules, true)).toBe(payload);
        const kept = JSON.stringify(filterPayload(payload, rules, true));
        for (const [found] of kept.matchAll(/(?<=[[:{,]")https?:\/\/[^"]+/g)) {
          expect(new URL(found).hostname).toEndWith("example.com");
        }
      }),
    );
  });
});

describe("isAllowedText", () => {
  test.each([
    ["See https://example.com/a.", true],
    ["See (https://docs.example.com/a), and <http://example.com>!", true],
    ["See https://evil.test", false],
    ["[1](https://example.com/) [2](HTTPS://EVIL.test/)", false],
    ["https://private.example.com", false],
    ["ftp://example.com/", false],
    ["https://example.com/?to=https://evil.test/", true],
    ["1://x and ://", true],
    ["", true],
  ])("%j: %p", (text, expected) => expect(isAllowedText(text, rules)).toBe(expected));

  test("takes no longer for long words and rows of dots, and allows no endless list", () => {
    const started = performance.now();
    expect(isAllowedText("a".repeat(1_000_000), rules)).toBe(true);
    expect(isAllowedText(`https://example.com/${".".repeat(1_000_000)}a`, rules)).toBe(false);
    expect(isAllowedText("https://example.com ".repeat(100_000), rules)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
