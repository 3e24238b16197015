import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SearchCapabilities } from "./capabilities.ts";
import { fitQuery } from "./fit-query.ts";
import { tavily } from "./providers/tavily/provider.ts";
import { searchRequest } from "./request.testkit.ts";

const able = tavily.capabilities;

/** A provider that can do nothing but search the web. */
const bare: SearchCapabilities = {
  ...able,
  news: false,
  answer: false,
  rawContent: false,
  depth: false,
  timeRange: false,
  country: false,
  language: false,
  includeDomains: null,
  excludeDomains: null,
  maxResults: 50,
  resultsPerUnit: 10,
  maxQueryLength: 20,
};

const everything = searchRequest({
  region: "de",
  language: "de-AT",
  timeRange: "week",
  depth: "advanced",
  includeAnswer: true,
  includeRawContent: true,
  rules: { include: new Set(["example.com"]), exclude: new Set(["a.example.com"]) },
  providerOptions: { tavily: { x: 1 }, other: { y: 2 } },
});

describe("fitQuery", () => {
  test("gives an able provider everything, and its own options", () => {
    expect(fitQuery(everything, { name: "tavily", capabilities: able }, 10)).toEqual({
      query: {
        query: "q",
        type: "web",
        count: 10,
        country: "DE",
        language: { tag: "de-AT", language: "de", script: null, region: "AT" },
        timeRange: "week",
        depth: "advanced",
        includeAnswer: true,
        includeRawContent: true,
        includeDomains: ["example.com"],
        excludeDomains: ["a.example.com"],
        options: { x: 1 },
        now: everything.now,
      },
      downgrades: [],
      emulated: [],
      maxResults: 10,
    });
  });

  test("names what a provider cannot do, and filters by itself", () => {
    const { query, downgrades, emulated } = fitQuery(everything, { name: "bare", capabilities: bare }, 10);
    expect(query).toMatchObject({
      country: null,
      language: null,
      timeRange: null,
      depth: "basic",
      includeAnswer: false,
      includeRawContent: false,
      includeDomains: [],
      excludeDomains: [],
      options: {},
    });
    expect(downgrades.map(({ field, reason }) => `${field}: ${reason}`)).toEqual([
      "region: unsupported",
      "language: unsupported",
      "time_range: unsupported",
      "search_depth: unsupported",
      "include_answer: unsupported",
      "include_raw_content: unsupported",
    ]);
    expect(emulated).toEqual(["include_domains", "exclude_domains"]);
  });

  test("asks for more if results are filtered afterwards, as long as they cost no more", () => {
    const rules = everything.rules;
    const countOf = (maxResults: number, capabilities: SearchCapabilities) =>
      fitQuery(searchRequest({ rules, maxResults }), { name: "x", capabilities }, 100).query.count;
    expect(countOf(4, bare)).toBe(10);
    expect(countOf(2, bare)).toBe(5);
    expect(countOf(20, bare)).toBe(20);
    expect(countOf(20, { ...bare, resultsPerUnit: 100 })).toBe(50);
    expect(countOf(4, able)).toBe(4);
  });

  test("keeps an excluded list to itself if the provider takes one list alone", () => {
    const { query, emulated } = fitQuery(
      everything,
      { name: "x", capabilities: { ...able, mixesDomainLists: false } },
      10,
    );
    expect([query.includeDomains, query.excludeDomains, emulated]).toEqual([["example.com"], [], ["exclude_domains"]]);
  });

  test("cuts a long query at a word", () => {
    const long = searchRequest({ query: "one two three four five six" });
    const { query, downgrades } = fitQuery(long, { name: "x", capabilities: bare }, 10);
    expect([query.query, downgrades]).toEqual(["one two three four", [{ field: "query", reason: "truncated" }]]);
  });

  test("never asks for what the provider does not have, nor for more than it gives", () => {
    const unit = fc.constantFrom("a", "bc", " ", "\n", "\u0000", "ü", "漢", "😀", "\ud800");
    const query = fc.array(unit, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(""));
    const flags = fc.record({
      answer: fc.boolean(),
      country: fc.boolean(),
      timeRange: fc.boolean(),
      depth: fc.boolean(),
    });
    fc.assert(
      fc.property(
        query,
        flags,
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 1, max: 100 }),
        (text, can, count, policy) => {
          const capabilities = { ...bare, ...can };
          const asked = { ...everything, query: text, maxResults: count };
          const fitted = fitQuery(asked, { name: "x", capabilities }, policy);
          expect(fitted.query.count).toBeWithin(1, capabilities.maxResults + 1);
          expect(fitted.maxResults).toBeLessThanOrEqual(Math.min(policy, count));
          expect(fitted.query.query.length).toBeLessThanOrEqual(20);
          expect(fitted.query.includeAnswer).toBe(can.answer);
          expect(fitted.query.country !== null).toBe(can.country);
        },
      ),
    );
  });
});
