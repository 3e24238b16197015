import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { exa } from "./provider.ts";

describe("request", () => {
  test("a plain search asks for passages, since results have no snippet by themselves", () => {
    expect(exa.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/search",
      headers: {},
      body: { query: "q", type: "auto", numResults: 10, contents: { highlights: true } },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { body, downgrades } = exa.toRequest(
      providerQuery({
        type: "news",
        count: 25,
        country: "DE",
        timeRange: "week",
        depth: "advanced",
        includeRawContent: true,
        includeDomains: ["example.com"],
        excludeDomains: ["old.example.com"],
        options: { moderation: true, category: "company" },
      }),
    );
    expect(body).toEqual({
      query: "q",
      type: "deep",
      numResults: 25,
      contents: { highlights: true, text: true },
      category: "news",
      userLocation: "DE",
      startPublishedDate: "2026-11-15T15:30:00.000Z",
      includeDomains: ["example.com"],
      excludeDomains: ["old.example.com"],
      moderation: true,
    });
    expect(downgrades).toEqual([]);
  });

  test.each([
    ["day", "2026-11-21T15:30:00.000Z"],
    ["month", "2026-10-22T15:30:00.000Z"],
    ["year", "2025-11-22T15:30:00.000Z"],
  ] as const)("a %s begins at a moment", (timeRange, startPublishedDate) => {
    expect(exa.toRequest(providerQuery({ timeRange })).body).toMatchObject({ startPublishedDate });
  });

  test.each(["company", "people"])("of the category %s has no dates", (category) => {
    const { body, downgrades } = exa.toRequest(providerQuery({ timeRange: "week", options: { category } }));
    expect(body).toEqual(expect.objectContaining({ category }));
    expect(body).not.toHaveProperty("startPublishedDate");
    expect(downgrades).toEqual([{ field: "time_range", reason: "unsupported_combination" }]);
  });
});

describe("answer", () => {
  const result = { id: "https://example.com/", title: "T", url: "https://example.com/" };
  const read = (item: object) => exa.readAnswer({ results: [item] }, providerQuery()).results[0];

  test("is read with its passages, page, date, score and cost", () => {
    const body = {
      requestId: "r-1",
      results: [
        {
          ...result,
          publishedDate: "2023-11-16T01:36:20.486Z",
          author: null,
          score: 0.4,
          text: "page",
          highlights: ["one", "two"],
          highlightScores: [0.5, 0.4],
        },
      ],
      costDollars: { total: 0.007, search: { neural: 0.007 } },
    };
    expect(exa.readAnswer(body, providerQuery())).toEqual({
      results: [
        {
          title: "T",
          url: "https://example.com/",
          snippet: "one … two",
          content: "page",
          published: "2023-11-16T01:36:20.486Z",
          score: 0.4,
        },
      ],
      answer: null,
      requestId: "r-1",
      units: null,
      costUsd: 0.007,
      usage: { costDollars: { total: 0.007, search: { neural: 0.007 } } },
      downgrades: [],
    });
  });

  test("may lack title, date, score and passages", () => {
    expect(read({ ...result, title: null })).toMatchObject({ title: "", published: null, score: null, snippet: "" });
    expect(read({ ...result, highlights: [], summary: "short" })).toMatchObject({ snippet: "short" });
    expect(read({ ...result, text: "long" })).toMatchObject({ snippet: "long" });
  });

  test("has dates with milliseconds in UTC", () => {
    expect(readDate("2023-11-16T01:36:20.486Z", 0)).toBe("2023-11-16T01:36:20.486Z");
  });

  test("without pages is empty, and what is no answer is a fault", () => {
    expect(exa.readAnswer({ results: [] }, providerQuery())).toMatchObject({ results: [], costUsd: null, usage: {} });
    expect(() => exa.readAnswer({ error: "x" }, providerQuery())).toThrow(AnswerFault);
    expect(exa.readAnswer({ results: [], costDollars: { total: -1 } }, providerQuery()).costUsd).toBeNull();
  });
});

describe("errors", () => {
  test.each([
    [401, { requestId: "r", error: "Invalid API key", tag: "INVALID_API_KEY" }, "credential"],
    [401, { error: { type: "authentication_error", code: "INVALID_API_KEY", message: "no" } }, "credential"],
    [402, { x402Version: 1, error: "X-PAYMENT header is required", accepts: [{}] }, "credential"],
    [402, { error: "You have no more credits", tag: "NO_MORE_CREDITS" }, "quota"],
    [402, { error: { code: "API_KEY_BUDGET_EXCEEDED", message: "budget" } }, "quota"],
    [403, { error: { code: "api_key_budget_exceeded", message: "budget" } }, "quota"],
    [402, null, "quota"],
    [429, { error: "You've exceeded your rate limit" }, "rate_limit"],
    [503, { error: "busy", tag: "SERVICE_OVERLOADED" }, "server"],
    [400, { error: "bad", tag: "INVALID_REQUEST_BODY" }, "request"],
    [400, { error: "too many", tag: "NUM_RESULTS_EXCEEDED" }, "request"],
    [500, "x", "server"],
  ] as const)("%i %j", (status, body, expected) => {
    expect(exa.classifyError(status, body).class).toBe(expected);
  });

  test("keep the provider's words and code in both forms", () => {
    const old = exa.classifyError(401, { error: "Invalid API key", tag: "INVALID_API_KEY" });
    expect(old).toMatchObject({ message: "Invalid API key", code: "INVALID_API_KEY" });
    const now = exa.classifyError(400, { error: { type: "t", code: "C", message: "m" }, requestId: "r" });
    expect(now).toMatchObject({ message: "m", code: "C" });
  });
});
