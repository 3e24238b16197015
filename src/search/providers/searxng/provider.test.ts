import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { readLanguage } from "../../places.ts";
import type { ProviderQuery } from "../../query.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { searxng } from "./provider.ts";

function parametersOf(changes: Partial<ProviderQuery> = {}): Record<string, string> {
  const { path } = searxng.toRequest(providerQuery(changes));
  return Object.fromEntries(new URL(path, "https://x.test").searchParams);
}

describe("request", () => {
  test("a plain search", () => {
    expect(searxng.toRequest(providerQuery())).toEqual({
      method: "GET",
      path: "/search?q=q&format=json&categories=general",
      headers: {},
      body: null,
      downgrades: [],
    });
  });

  test("every field", () => {
    const query = {
      type: "news",
      country: "DE",
      language: readLanguage("de"),
      timeRange: "week",
      includeDomains: ["example.com"],
      excludeDomains: ["old.example.com"],
      options: { safesearch: 1, pageno: 2 },
    } as const;
    expect(parametersOf(query)).toEqual({
      q: "q site:example.com -site:old.example.com",
      format: "json",
      categories: "news",
      language: "de-DE",
      time_range: "week",
      safesearch: "1",
      pageno: "2",
    });
    expect(searxng.toRequest(providerQuery(query)).downgrades).toEqual([]);
  });

  test.each([
    ["de", null, "de"],
    ["pt-BR", null, "pt-BR"],
    ["en-US", "DE", "en-DE"],
    ["es-419", null, "es"],
    ["zh-Hant", null, "zh-TW"],
    ["zh-Hans", null, "zh-CN"],
    ["zh-Hant-HK", null, "zh-HK"],
    ["sr-Latn", null, "sr"],
  ])("the language %s in %p is %s", (tag, country, language) => {
    expect(parametersOf({ language: readLanguage(tag), country })).toMatchObject({ language });
  });

  test("a country alone cannot be asked for", () => {
    expect(parametersOf({ country: "DE" })).not.toHaveProperty("language");
    expect(searxng.toRequest(providerQuery({ country: "DE" })).downgrades).toEqual([
      { field: "region", reason: "unsupported_combination" },
    ]);
  });

  test.each([
    ["!!g coffee", "g coffee"],
    ["!wikipedia coffee", "wikipedia coffee"],
    ["coffee !bing :de <3 ?x", "coffee bing de 3 x"],
    ["a <b, 10:30 and wow!", "a <b, 10:30 and wow!"],
    ["!!", '"!!"'],
  ])("words of '%s' are no commands", (query, q) => {
    expect(parametersOf({ query })).toMatchObject({ q });
  });

  test("may be signed for a proxy", () => {
    const { signing } = searxng;
    const sign = signing.in === "header" ? signing.header : () => [];
    expect(sign("token")).toEqual(["authorization", "Bearer token"]);
    expect(sign("me:pass")).toEqual(["authorization", "Basic bWU6cGFzcw=="]);
  });
});

describe("answer", () => {
  const result = { title: "T", url: "https://example.com/", content: "", engine: "a", engines: ["a"] };

  test("is read with scores that are parts of the greatest", () => {
    const body = {
      query: "q",
      number_of_results: 0,
      results: [
        { ...result, score: 4, content: "c", publishedDate: "2026-11-20T08:00:00" },
        { ...result, url: "https://example.com/2", score: 1, publishedDate: null },
        { ...result, url: "https://example.com/3" },
      ],
      answers: [],
      unresponsive_engines: [["b", "timeout"]],
    };
    expect(searxng.readAnswer(body, providerQuery())).toEqual({
      results: [
        {
          title: "T",
          url: "https://example.com/",
          snippet: "c",
          content: null,
          published: "2026-11-20T08:00:00",
          score: 1,
        },
        { title: "T", url: "https://example.com/2", snippet: "", content: null, published: null, score: 0.25 },
        { title: "T", url: "https://example.com/3", snippet: "", content: null, published: null, score: null },
      ],
      answer: null,
      requestId: null,
      units: null,
      costUsd: null,
      usage: {},
      downgrades: [],
    });
  });

  test("without any score has none", () => {
    const { results } = searxng.readAnswer({ results: [{ ...result, score: 0 }] }, providerQuery());
    expect(results).toMatchObject([{ score: null }]);
  });

  test.each([
    ["2026-11-20T08:00:00", "2026-11-20T08:00:00Z"],
    ["2026-11-20T08:00:00+02:00", "2026-11-20T06:00:00Z"],
    ["2026-11-20 08:00:00", "2026-11-20T08:00:00Z"],
  ])("the date '%s' is %s", (date, expected) => {
    expect(readDate(date, 0)).toBe(expected);
  });

  test("without pages is empty", () => {
    const body = { results: [], unresponsive_engines: [] };
    expect(searxng.readAnswer(body, providerQuery()).results).toEqual([]);
  });

  test("without pages is a fault if engines failed", () => {
    const body = { results: [], unresponsive_engines: [["google", "timeout"], ["bing", "Suspended: CAPTCHA"], 5] };
    expect(() => searxng.readAnswer(body, providerQuery())).toThrow(AnswerFault);
    expect(() => searxng.readAnswer(body, providerQuery())).toThrow("google (timeout), bing (Suspended: CAPTCHA)");
  });

  test("that is none is a fault", () => {
    expect(() => searxng.readAnswer({ error: "x" }, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  test.each([
    [400, { error: "No query" }, "request"],
    [400, { error: 'Invalid value "fortnight" for parameter time_range' }, "request"],
    [403, null, "credential"],
    [401, null, "credential"],
    [429, null, "rate_limit"],
    [500, { error: "x" }, "server"],
    [302, null, "server"],
  ] as const)("%i %j", (status, body, expected) => {
    expect(searxng.classifyError(status, body).class).toBe(expected);
  });

  test("keep the server's words, and say what a 403 without words means", () => {
    expect(searxng.classifyError(400, { error: "No query" }).message).toBe("No query");
    expect(searxng.classifyError(403, null).message).toContain("'search.formats'");
  });
});
