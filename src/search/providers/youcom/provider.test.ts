import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { readLanguage } from "../../places.ts";
import { timeRanges } from "../../query.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { youcom } from "./provider.ts";

describe("request", () => {
  test("a plain search", () => {
    expect(youcom.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/v1/search",
      headers: {},
      body: { query: "q", count: 10 },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { body, downgrades } = youcom.toRequest(
      providerQuery({
        count: 5,
        country: "DE",
        language: readLanguage("pt-BR"),
        timeRange: "week",
        includeRawContent: true,
        includeDomains: ["example.com"],
        options: { safesearch: "strict" },
      }),
    );
    expect(body).toEqual({
      query: "q",
      count: 5,
      country: "DE",
      language: "PT-BR",
      freshness: "week",
      livecrawl: "web",
      livecrawl_formats: ["markdown"],
      include_domains: ["example.com"],
      safesearch: "strict",
    });
    expect(downgrades).toEqual([]);
    const excludeDomains = ["other.test"];
    expect(youcom.toRequest(providerQuery({ excludeDomains })).body).toMatchObject({ exclude_domains: excludeDomains });
  });

  test.each(timeRanges)("time range %s", (timeRange) => {
    expect(youcom.toRequest(providerQuery({ timeRange })).body).toMatchObject({ freshness: timeRange });
  });

  test("news differ in the pages that are crawled", () => {
    expect(youcom.toRequest(providerQuery({ type: "news" })).body).toEqual({ query: "q", count: 10 });
    const { body } = youcom.toRequest(providerQuery({ type: "news", includeRawContent: true }));
    expect(body).toMatchObject({ livecrawl: "news" });
  });

  test.each([
    ["de-AT", "DE"],
    ["en", "EN"],
    ["en-US", "EN"],
    ["en-GB", "EN-GB"],
    ["ja", "JA"],
    ["uk", "UK"],
    ["he", "HE"],
    ["pt", "PT-BR"],
    ["pt-PT", "PT-PT"],
    ["pt-AO", "PT-PT"],
    ["zh", "ZH-HANS"],
    ["zh-TW", "ZH-HANT"],
    ["zh-Hant-HK", "ZH-HANT"],
    ["zh-Hans-TW", "ZH-HANS"],
    ["nb", "NB"],
    ["no", "NB"],
    ["sr-Latn", "SR"],
  ])("language %s is %s", (tag, language) => {
    const call = youcom.toRequest(providerQuery({ language: readLanguage(tag) }));
    expect(call).toMatchObject({ body: { language }, downgrades: [] });
  });

  test("a country or language that You.com does not know is left out", () => {
    const call = youcom.toRequest(providerQuery({ country: "SG", language: readLanguage("sw") }));
    expect(call.body).toEqual({ query: "q", count: 10 });
    expect(call.downgrades).toEqual([
      { field: "region", reason: "unknown_value" },
      { field: "language", reason: "unknown_value" },
    ]);
  });
});

describe("answer", () => {
  const url = "https://example.com/";
  const body = {
    results: {
      web: [
        {
          url,
          title: "T",
          description: "d",
          snippets: ["s1", "s2"],
          page_age: "2024-05-02T17:40:05",
          contents: { html: "<p>", markdown: "# T" },
        },
        { url, title: "T", description: "d" },
      ],
      news: [{ url, title: "N", description: "d", page_age: "2026-11-20T08:00:00" }],
    },
    metadata: { search_uuid: "id-1", query: "q", latency: 0.2 },
  };

  test("of the web", () => {
    expect(youcom.readAnswer(body, providerQuery())).toEqual({
      results: [
        { title: "T", url, snippet: "s1", content: "# T", published: "2024-05-02T17:40:05", score: null },
        { title: "T", url, snippet: "d", content: null, published: null, score: null },
      ],
      answer: null,
      requestId: "id-1",
      units: null,
      costUsd: null,
      usage: {},
      downgrades: [],
    });
    // Its dates have no zone, and are of UTC.
    expect(readDate("2024-05-02T17:40:05", 0)).toBe("2024-05-02T17:40:05Z");
  });

  test("of news, which may be missing", () => {
    const news = providerQuery({ type: "news" });
    const { results, downgrades } = youcom.readAnswer(body, news);
    expect(results).toEqual([
      { title: "N", url, snippet: "d", content: null, published: "2026-11-20T08:00:00", score: null },
    ]);
    expect(downgrades).toEqual([]);
    expect(youcom.readAnswer({ results: { web: body.results.web } }, news)).toMatchObject({
      results: [],
      downgrades: [{ field: "type", reason: "not_returned" }],
    });
  });

  test("without a section is empty, without sections is none", () => {
    expect(youcom.readAnswer({ results: {} }, providerQuery())).toMatchObject({ results: [], downgrades: [] });
    expect(() => youcom.readAnswer({ results: [] }, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  test.each([
    [400, { detail: "Bad request" }, "request"],
    [401, { detail: "Invalid or expired API key" }, "credential"],
    [402, { detail: "Payment required" }, "quota"],
    [403, { detail: "Missing required scopes" }, "credential"],
    [422, { detail: [{ type: "enum", loc: ["body", "country"], msg: "Input should be 'AR'" }] }, "request"],
    [429, { detail: "Too many requests" }, "rate_limit"],
    [500, { detail: "Internal server error" }, "server"],
    [504, null, "timeout"],
  ] as const)("%i", (status, body, expected) => {
    expect(youcom.classifyError(status, body).class).toBe(expected);
  });

  test("keep the provider's words, and the field", () => {
    expect(youcom.classifyError(401, { detail: "no" }).message).toBe("no");
    const detail = [{ loc: ["body", "country"], msg: "Input should be 'AR'" }];
    expect(youcom.classifyError(422, { detail }).message).toBe("country: Input should be 'AR'");
    expect(youcom.classifyError(422, { detail: [{}] }).message).toBeNull();
  });
});
