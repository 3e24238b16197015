import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readLanguage } from "../../places.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { tavily } from "./provider.ts";

describe("request", () => {
  test("a plain search", () => {
    expect(tavily.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/search",
      headers: {},
      body: { query: "q", topic: "general", search_depth: "basic", max_results: 10, include_usage: true },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { body } = tavily.toRequest(
      providerQuery({
        count: 5,
        country: "DE",
        language: readLanguage("pt-BR"),
        timeRange: "week",
        depth: "advanced",
        includeAnswer: true,
        includeRawContent: true,
        includeDomains: ["example.com"],
        excludeDomains: ["other.test"],
        options: { chunks_per_source: 2 },
      }),
    );
    expect(body).toEqual({
      query: "q",
      topic: "general",
      search_depth: "advanced",
      max_results: 5,
      include_usage: true,
      time_range: "week",
      country: "germany",
      language: "pt",
      include_answer: true,
      include_raw_content: true,
      include_domains: ["example.com"],
      exclude_domains: ["other.test"],
      chunks_per_source: 2,
    });
  });

  test("dates in the options take the place of a range of time", () => {
    for (const options of [{ start_date: "2026-11-01" }, { end_date: "2026-11-01", start_date: null }]) {
      const { body, downgrades } = tavily.toRequest(providerQuery({ timeRange: "week", options }));
      expect(body).toMatchObject(options);
      expect(body).not.toHaveProperty("time_range");
      expect(downgrades).toEqual([{ field: "time_range", reason: "unsupported_combination" }]);
      expect(tavily.toRequest(providerQuery({ options })).downgrades).toEqual([]);
    }
    const { body } = tavily.toRequest(providerQuery({ timeRange: "week", options: { start_date: null } }));
    expect(body).toMatchObject({ time_range: "week" });
  });

  test("news has no country, and a country that Tavily does not name is left out", () => {
    const news = tavily.toRequest(providerQuery({ type: "news", country: "US" }));
    expect(news.body).not.toHaveProperty("country");
    expect(news.downgrades).toEqual([{ field: "region", reason: "unsupported_combination" }]);
    const unnamed = tavily.toRequest(providerQuery({ country: "CI" }));
    expect(unnamed.downgrades).toEqual([{ field: "region", reason: "unknown_value" }]);
  });
});

describe("answer", () => {
  test("is read with its score, date, page, answer and usage", () => {
    const body = {
      query: "q",
      answer: "So it is.",
      results: [
        {
          title: "T",
          url: "https://example.com/",
          content: "c",
          raw_content: "page",
          score: 0.9,
          published_date: "Tue, 11 Mar 2025 15:42:00 GMT",
        },
      ],
      usage: { credits: 2 },
      request_id: "id-1",
    };
    expect(tavily.readAnswer(body, providerQuery({ includeAnswer: true }))).toEqual({
      results: [
        {
          title: "T",
          url: "https://example.com/",
          snippet: "c",
          content: "page",
          published: "Tue, 11 Mar 2025 15:42:00 GMT",
          score: 0.9,
        },
      ],
      answer: { text: "So it is.", citedUrls: ["https://example.com/"] },
      requestId: "id-1",
      units: 2,
      costUsd: null,
      usage: { credits: 2 },
      downgrades: [],
    });
  });

  test("without results is no answer", () => {
    expect(() => tavily.readAnswer({ detail: "x" }, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  test.each([
    [401, { detail: { error: "Unauthorized: missing or invalid API key." } }, "credential"],
    [403, null, "credential"],
    [432, { detail: { error: "This request exceeds your plan's set usage limit." } }, "quota"],
    [433, { detail: { error: "limit" } }, "quota"],
    [429, { detail: { error: "slow down" } }, "rate_limit"],
    [400, { detail: { error: "All domains in include_domains are invalid: ['nhs.uk']" } }, "request"],
    [422, { detail: [{ msg: "field required", loc: ["body", "query"] }] }, "request"],
    [500, "<html>", "server"],
    [504, null, "timeout"],
  ] as const)("%i", (status, body, expected) => {
    expect(tavily.classifyError(status, body).class).toBe(expected);
  });

  test("keep the provider's words and the wait", () => {
    const body = { error: { code: "rate_limited", message: "wait", retry_after_seconds: 9 } };
    expect(tavily.classifyError(429, body)).toMatchObject({ message: "wait", retryAfterSeconds: 9 });
  });
});
