import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { parallel } from "./provider.ts";

describe("request", () => {
  test("a plain search", () => {
    expect(parallel.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/v1/search",
      headers: {},
      body: { search_queries: ["q"], mode: "basic", advanced_settings: { max_results: 10 } },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { body, downgrades } = parallel.toRequest(
      providerQuery({
        count: 5,
        country: "DE",
        timeRange: "week",
        depth: "advanced",
        includeRawContent: true,
        includeDomains: ["example.com"],
        excludeDomains: ["other.test"],
        options: { session_id: "s", max_chars_total: 5_000 },
      }),
    );
    expect(body).toEqual({
      search_queries: ["q"],
      mode: "advanced",
      advanced_settings: {
        max_results: 5,
        location: "de",
        source_policy: {
          include_domains: ["example.com"],
          exclude_domains: ["other.test"],
          after_date: "2026-11-15",
        },
      },
      session_id: "s",
      max_chars_total: 5_000,
    });
    expect(downgrades).toEqual([]);
  });

  test.each([
    ["day", "2026-11-21"],
    ["month", "2026-10-22"],
    ["year", "2025-11-22"],
  ] as const)("time range %s", (timeRange, after_date) => {
    const { body } = parallel.toRequest(providerQuery({ timeRange }));
    expect(body).toMatchObject({ advanced_settings: { source_policy: { after_date } } });
  });

  test("a query that is longer than a search query is the objective", () => {
    const query = `${"words ".repeat(50)}end`;
    const { body } = parallel.toRequest(providerQuery({ query }));
    expect(body).toMatchObject({ search_queries: ["words ".repeat(33).trim()], objective: query });
    const oneWord = parallel.toRequest(providerQuery({ query: "x".repeat(300) }));
    expect(oneWord.body).toMatchObject({ search_queries: ["x".repeat(200)] });
  });
});

describe("answer", () => {
  const url = "https://example.com/";

  test("has excerpts, days and usage", () => {
    const body = {
      search_id: "search_1",
      session_id: "s",
      results: [
        { url, title: "T", publish_date: "2026-01-02", excerpts: ["one", "two"] },
        { url, title: null, publish_date: null, excerpts: [] },
      ],
      warnings: null,
      usage: [{ name: "sku_search", count: 1 }],
    };
    expect(parallel.readAnswer(body, providerQuery())).toEqual({
      results: [
        { title: "T", url, snippet: "one … two", content: "one\n\ntwo", published: "2026-01-02", score: null },
        { title: "", url, snippet: "", content: null, published: null, score: null },
      ],
      answer: null,
      requestId: "search_1",
      units: 1,
      costUsd: null,
      usage: { sku_search: 1 },
      downgrades: [],
    });
    expect(readDate("2026-01-02", 0)).toBe("2026-01-02T00:00:00Z");
  });

  test.each([
    [[{ name: "sku_search", count: 2 }], 2],
    [
      [
        { name: "sku_search", count: 1 },
        { name: "sku_search_additional_results", count: 7 },
      ],
      3,
    ],
    [null, null],
    [[], null],
    [[{ name: "sku_search", count: -1 }, null, { count: 1 }], null],
  ])("usage %j is %j units", (usage, units) => {
    expect(parallel.readAnswer({ results: [], usage }, providerQuery()).units).toBe(units);
  });

  test("that ignored the country says so", () => {
    const warnings = [
      { type: "input_validation_warning", message: "The location 'ci' is not supported and was ignored." },
    ];
    const region = [{ field: "region", reason: "unknown_value" }] as const;
    expect(parallel.readAnswer({ results: [], warnings }, providerQuery({ country: "CI" })).downgrades).toEqual([
      ...region,
    ]);
    expect(parallel.readAnswer({ results: [], warnings }, providerQuery()).downgrades).toEqual([]);
    const other = { results: [], warnings: [{ type: "warning", message: "Slow today." }, 1] };
    expect(parallel.readAnswer(other, providerQuery({ country: "CI" })).downgrades).toEqual([]);
  });

  test("without results is none", () => {
    expect(() => parallel.readAnswer({ search_id: "x" }, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  const error = (message: string) => ({ type: "error", error: { ref_id: "r", message, detail: null } });

  test.each([
    [400, error("Bad request"), "request"],
    [401, error("Unauthorized: invalid or missing credentials"), "credential"],
    [402, error("Payment required: insufficient credit"), "quota"],
    [403, error("Forbidden"), "credential"],
    [422, error("Unprocessable content: request validation error"), "request"],
    [429, error("Too many requests"), "rate_limit"],
    [500, error("Internal server error"), "server"],
    [503, null, "server"],
  ] as const)("%i", (status, body, expected) => {
    expect(parallel.classifyError(status, body).class).toBe(expected);
  });

  test("keep the provider's words", () => {
    expect(parallel.classifyError(422, error("no"))).toEqual({ class: "request", message: "no", code: null });
  });
});
