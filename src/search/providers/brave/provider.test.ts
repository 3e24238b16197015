import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { readLanguage } from "../../places.ts";
import type { ProviderQuery } from "../../query.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { brave } from "./provider.ts";

/** The path and the parameters of a call. */
function parametersOf(changes: Partial<ProviderQuery> = {}): Record<string, string> {
  const { path } = brave.toRequest(providerQuery(changes));
  const { pathname, searchParams } = new URL(path, "https://x.test");
  return { path: pathname, ...Object.fromEntries(searchParams) };
}

describe("request", () => {
  test("a plain search", () => {
    expect(brave.toRequest(providerQuery())).toEqual({
      method: "GET",
      path: "/web/search?q=q&count=10&text_decorations=false&result_filter=web",
      headers: {},
      body: null,
      downgrades: [],
    });
  });

  test("every field", () => {
    const query = {
      count: 20,
      country: "DE",
      language: readLanguage("ja"),
      timeRange: "week",
      includeDomains: ["example.com"],
      excludeDomains: ["old.example.com"],
      options: { safesearch: "strict", extra_snippets: true },
    } as const;
    expect(parametersOf(query)).toEqual({
      path: "/web/search",
      q: "q site:example.com -site:old.example.com",
      count: "20",
      text_decorations: "false",
      result_filter: "web",
      country: "DE",
      search_lang: "jp",
      freshness: "pw",
      safesearch: "strict",
      extra_snippets: "true",
    });
    expect(brave.toRequest(providerQuery(query)).downgrades).toEqual([]);
  });

  test("news has its own path", () => {
    expect(parametersOf({ type: "news", timeRange: "day" })).toEqual({
      path: "/news/search",
      q: "q",
      count: "10",
      freshness: "pd",
    });
  });

  test.each([
    ["month", "pm"],
    ["year", "py"],
  ] as const)("a %s is %s", (timeRange, freshness) => {
    expect(parametersOf({ timeRange })).toMatchObject({ freshness });
  });

  test("a country that Brave does not know is all countries, and not the United States", () => {
    expect(parametersOf({ country: "VN" })).toMatchObject({ country: "ALL" });
    expect(brave.toRequest(providerQuery({ country: "VN" })).downgrades).toEqual([
      { field: "region", reason: "unknown_value" },
    ]);
  });

  test("a language that Brave does not know is left out", () => {
    expect(parametersOf({ language: readLanguage("sw") })).not.toHaveProperty("search_lang");
    expect(brave.toRequest(providerQuery({ language: readLanguage("sw") })).downgrades).toEqual([
      { field: "language", reason: "unknown_value" },
    ]);
  });

  test("has at most 50 words", () => {
    const query = "a ".repeat(51).trim();
    expect(parametersOf({ query })).toMatchObject({ q: "a ".repeat(50).trim() });
    expect(brave.toRequest(providerQuery({ query })).downgrades).toEqual([{ field: "query", reason: "truncated" }]);
  });

  test("leaves domains out if there is no room for them", () => {
    const includeDomains = ["example.com"];
    const long = "a".repeat(385);
    expect(parametersOf({ query: long, includeDomains })).toMatchObject({ q: long });
    const wordy = "a ".repeat(50).trim();
    expect(parametersOf({ query: wordy, includeDomains })).toMatchObject({ q: wordy });
    expect(brave.toRequest(providerQuery({ query: wordy, includeDomains })).downgrades).toEqual([]);
  });
});

describe("answer", () => {
  const result = { title: "T", url: "https://example.com/", description: "a <strong>b</strong> &amp; c" };

  test("of the web is read with its date", () => {
    const body = {
      type: "search",
      query: { original: "q" },
      web: { type: "search", results: [{ ...result, page_age: "2024-05-02T17:40:05", age: "May 2, 2024" }] },
    };
    expect(brave.readAnswer(body, providerQuery())).toEqual({
      results: [
        {
          title: "T",
          url: "https://example.com/",
          snippet: "a <strong>b</strong> &amp; c",
          content: null,
          published: "2024-05-02T17:40:05",
          score: null,
        },
      ],
      answer: null,
      requestId: null,
      units: null,
      costUsd: null,
      usage: {},
      downgrades: [],
    });
  });

  test("of news is another list", () => {
    const body = { type: "news", results: [{ ...result, age: "3 days ago", breaking: false }] };
    const { results } = brave.readAnswer(body, providerQuery({ type: "news" }));
    expect(results).toMatchObject([{ title: "T", published: "3 days ago" }]);
  });

  test.each([
    ["2024-05-02T17:40:05", "2024-05-02T17:40:05Z"],
    ["3 days ago", "2026-11-19T15:30:00Z"],
    ["September 9, 2023", "2023-09-09T00:00:00Z"],
  ])("the date '%s' is %s", (age, expected) => {
    const query = providerQuery();
    const { results } = brave.readAnswer({ type: "search", web: { results: [{ ...result, age }] } }, query);
    expect(readDate(results[0]?.published ?? null, query.now)).toBe(expected);
  });

  test("without pages has no list, and what is no answer is a fault", () => {
    expect(brave.readAnswer({ type: "search", query: {}, mixed: {} }, providerQuery()).results).toEqual([]);
    expect(brave.readAnswer({ type: "news", query: {} }, providerQuery({ type: "news" })).results).toEqual([]);
    const error = { type: "ErrorResponse", error: { code: "X" } };
    expect(() => brave.readAnswer(error, providerQuery())).toThrow(AnswerFault);
    expect(() => brave.readAnswer(error, providerQuery({ type: "news" }))).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  const error = (code: string, meta = {}) => ({ type: "ErrorResponse", error: { id: "1", code, detail: "d", meta } });
  const located = (...loc: string[]) => error("VALIDATION", { errors: [{ type: "missing", loc, msg: "m" }] });

  test.each([
    [422, error("SUBSCRIPTION_TOKEN_INVALID"), "credential"],
    [422, { type: "ErrorResponse", errors: [{ code: "SUBSCRIPTION_TOKEN_INVALID" }], time: 1 }, "credential"],
    [422, located("header", "x-subscription-token"), "credential"],
    [422, located("query", "country"), "request"],
    [422, error("VALIDATION"), "request"],
    [422, null, "request"],
    [404, error("SUBSCRIPTION_NOT_FOUND"), "credential"],
    [429, error("RATE_LIMITED"), "rate_limit"],
    [429, error("QUOTA_LIMITED"), "quota"],
    [429, null, "rate_limit"],
    [500, "x", "server"],
    [403, null, "credential"],
  ] as const)("%i %j", (status, body, expected) => {
    expect(brave.classifyError(status, body).class).toBe(expected);
  });

  test("keep the provider's words and code, and the limit of the second a wait", () => {
    expect(brave.classifyError(429, error("RATE_LIMITED"))).toEqual({
      class: "rate_limit",
      message: "d",
      code: "RATE_LIMITED",
      retryAfterSeconds: 1,
    });
    expect(brave.classifyError(429, error("QUOTA_LIMITED"))).not.toHaveProperty("retryAfterSeconds");
  });
});
