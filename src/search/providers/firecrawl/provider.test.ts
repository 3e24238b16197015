import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { firecrawl } from "./provider.ts";

describe("request", () => {
  test("a plain search", () => {
    expect(firecrawl.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/v2/search",
      headers: {},
      body: { query: "q", limit: 10, sources: ["web"] },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { body, downgrades } = firecrawl.toRequest(
      providerQuery({
        count: 5,
        country: "DE",
        timeRange: "week",
        includeRawContent: true,
        includeDomains: ["example.com"],
        options: { location: "Berlin", categories: ["research"] },
      }),
    );
    expect(body).toEqual({
      query: "q",
      limit: 5,
      sources: ["web"],
      country: "DE",
      tbs: "qdr:w",
      includeDomains: ["example.com"],
      scrapeOptions: { formats: ["markdown"], onlyMainContent: true, proxy: "basic" },
      location: "Berlin",
      categories: ["research"],
    });
    expect(downgrades).toEqual([]);
  });

  test.each([
    ["day", "qdr:d"],
    ["month", "qdr:m"],
    ["year", "qdr:y"],
  ] as const)("time range %s", (timeRange, tbs) => {
    expect(firecrawl.toRequest(providerQuery({ timeRange })).body).toMatchObject({ tbs });
  });

  test("news have no range of time", () => {
    const { body, downgrades } = firecrawl.toRequest(providerQuery({ type: "news", timeRange: "day" }));
    expect(body).toEqual({ query: "q", limit: 10, sources: ["news"] });
    expect(downgrades).toEqual([{ field: "time_range", reason: "unsupported_combination" }]);
  });

  test("excluded domains", () => {
    const excludeDomains = ["other.test"];
    expect(firecrawl.toRequest(providerQuery({ excludeDomains })).body).toMatchObject({ excludeDomains });
  });
});

describe("answer", () => {
  const url = "https://example.com/";
  const web = (...items: object[]) => ({ success: true, data: { web: items } });

  test("of the web", () => {
    const body = {
      ...web({ url, title: "T", description: "d", position: 1, category: "github" }),
      warning: "w",
      id: "id-1",
      creditsUsed: 2,
    };
    expect(firecrawl.readAnswer(body, providerQuery())).toEqual({
      results: [{ title: "T", url, snippet: "d", content: null, published: null, score: null }],
      answer: null,
      requestId: "id-1",
      units: 2,
      costUsd: null,
      usage: { creditsUsed: 2 },
      downgrades: [],
    });
  });

  test("of news, with the dates that it writes", () => {
    const news = ["2 hours ago", "Aug 31, 2022", "vor 2 Tagen"].map((date) => ({
      url,
      title: "T",
      snippet: "s",
      date,
    }));
    const { results } = firecrawl.readAnswer(
      { success: true, data: { web: [{}], news } },
      providerQuery({ type: "news" }),
    );
    expect(results[0]).toEqual({ title: "T", url, snippet: "s", content: null, published: "2 hours ago", score: null });
    const now = Date.UTC(2026, 10, 22, 15);
    expect(results.map(({ published }) => readDate(published, now))).toEqual([
      "2026-11-22T13:00:00Z",
      "2022-08-31T00:00:00Z",
      "2026-11-20T15:00:00Z",
    ]);
  });

  test("of scraped pages, with or without title and address of their own", () => {
    const metadata = {
      title: "M",
      sourceURL: url,
      url: "https://example.com/moved",
      publishedTime: "2026-01-02T03:04:05Z",
    };
    const body = web(
      {
        url: "https://example.com/a",
        title: "T",
        description: "d",
        markdown: "# T",
        metadata: { ...metadata, statusCode: 200 },
      },
      { markdown: "# M", metadata },
      { markdown: "Not found", metadata: { ...metadata, statusCode: 404 } },
    );
    const published = "2026-01-02T03:04:05Z";
    const answer = firecrawl.readAnswer(body, providerQuery({ includeRawContent: true }));
    expect(answer.results).toEqual([
      { title: "T", url: "https://example.com/a", snippet: "d", content: "# T", published, score: null },
      { title: "M", url, snippet: "", content: "# M", published, score: null },
      { title: "M", url, snippet: "", content: null, published, score: null },
    ]);
  });

  test("costs what the price list says if it does not tell", () => {
    const items = Array.from({ length: 11 }, (_, place) => ({
      url: `${url}${place}`,
      ...(place < 3 && { markdown: "m" }),
    }));
    expect(firecrawl.readAnswer(web(...items), providerQuery()).units).toBe(2 * 2 + 3);
    expect(firecrawl.readAnswer({ data: {} }, providerQuery())).toMatchObject({ results: [], units: 0, usage: {} });
  });

  test("that says it failed, or has no data, is none", () => {
    for (const body of [{ success: false, error: "no", data: {} }, { success: true }, { data: [] }]) {
      expect(() => firecrawl.readAnswer(body, providerQuery())).toThrow(AnswerFault);
    }
  });
});

describe("errors", () => {
  test.each([
    [400, { success: false, error: "Bad Request" }, "request"],
    [401, { success: false, error: "Unauthorized: Invalid token" }, "credential"],
    [402, { success: false, error: "Insufficient credits to perform this request." }, "quota"],
    [403, null, "credential"],
    [408, { success: false, error: "Request timed out" }, "timeout"],
    [429, { success: false, error: "Rate limit exceeded." }, "rate_limit"],
    [500, { success: false, error: "An unexpected error occurred", code: "UNKNOWN_ERROR" }, "server"],
    [502, "<html>", "server"],
  ] as const)("%i", (status, body, expected) => {
    expect(firecrawl.classifyError(status, body).class).toBe(expected);
  });

  test("keep the code, and the words on the field", () => {
    const details = [{ code: "too_big", path: ["limit"], message: "limit must be at most 100" }];
    const body = { success: false, code: "BAD_REQUEST", error: "Bad Request", details };
    expect(firecrawl.classifyError(400, body)).toMatchObject({
      message: "limit must be at most 100",
      code: "BAD_REQUEST",
    });
    expect(firecrawl.classifyError(401, { error: "no" })).toMatchObject({ message: "no", code: null });
  });
});
