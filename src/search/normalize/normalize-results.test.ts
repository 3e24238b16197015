import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ProviderResult } from "../answer.ts";
import { noRules } from "../domains/domain-rules.ts";
import { normalizeResults } from "./normalize-results.ts";

const options = { rules: noRules, maxResults: 10, includeContent: false, now: Date.UTC(2026, 10, 22) };

const result = (url: string, more: Partial<ProviderResult> = {}): ProviderResult => ({
  title: "Title",
  url,
  snippet: "",
  content: null,
  published: null,
  score: null,
  ...more,
});

describe("normalizeResults", () => {
  test("gives plain text, dates in UTC and hosts", () => {
    const marked = result("https://WWW.Example.com/a", {
      title: "<b>A</b> &amp; B",
      snippet: "x<br>y",
      content: "page",
      published: "Aug 31, 2022",
      score: 0.1234567891,
    });
    expect(normalizeResults([marked], options)).toEqual([
      {
        title: "A & B",
        url: "https://www.example.com/a",
        snippet: "x y",
        content: null,
        published_at: "2022-08-31T00:00:00Z",
        score: 0.123457,
        source: "www.example.com",
      },
    ]);
    expect(normalizeResults([marked], { ...options, includeContent: true })[0]?.content).toBe("page");
  });

  test("makes scores from ranks if the provider has none, and bounds those it has", () => {
    const results = [result("https://a.test"), result("https://b.test"), result("https://c.test", { score: 7 })];
    expect(normalizeResults(results, options).map(({ score }) => score)).toEqual([1, 0.5, 1]);
  });

  test("merges results of the same page", () => {
    const results = [
      result("https://a.test/x#1", { title: "" }),
      result("http://a.test/x", { snippet: "s", published: "2026-01-02", score: 0.9 }),
    ];
    expect(normalizeResults(results, options)).toMatchObject([
      { title: "Title", url: "https://a.test/x#1", snippet: "s", published_at: "2026-01-02T00:00:00Z", score: 1 },
    ]);
  });

  test("drops what is no address or outside the rules, then clips", () => {
    const rules = { include: new Set(["good.test"]), exclude: new Set(["bad.good.test"]) };
    const urls = [
      "javascript:x",
      "https://evil.test",
      "https://bad.good.test",
      "https://good.test/1",
      "https://a.good.test",
    ];
    const results = normalizeResults(
      urls.map((url) => result(url)),
      { ...options, rules, maxResults: 1 },
    );
    expect(results.map(({ source }) => source)).toEqual(["good.test"]);
  });

  test("is total, keeps the order, and clips", () => {
    const anyResult = fc.record({
      title: fc.string({ unit: "binary" }),
      url: fc.oneof(fc.string(), fc.webUrl()),
      snippet: fc.string({ unit: "binary" }),
      content: fc.option(fc.string()),
      published: fc.option(fc.string()),
      score: fc.option(fc.double()),
    });
    fc.assert(
      fc.property(fc.array(anyResult), fc.nat(5), (results, maxResults) => {
        const normalized = normalizeResults(results, { ...options, maxResults });
        expect(normalized.length).toBeLessThanOrEqual(maxResults);
        const order = normalized.map(({ url }) => results.findIndex((each) => URL.parse(each.url)?.href === url));
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        for (const { score, url } of normalized) {
          expect(score).toBeWithin(0, 1.000001);
          expect(url).toMatch(/^https?:/);
        }
      }),
    );
  });
});
