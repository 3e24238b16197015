import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { linkup } from "./provider.ts";

describe("request", () => {
  test("a plain search", () => {
    expect(linkup.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/v1/search",
      headers: {},
      body: { q: "q", depth: "standard", outputType: "searchResults", maxResults: 10 },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { body, downgrades } = linkup.toRequest(
      providerQuery({
        count: 5,
        timeRange: "week",
        depth: "advanced",
        includeRawContent: true,
        includeDomains: ["example.com"],
        excludeDomains: ["other.test"],
        options: { toDate: "2026-11-20" },
      }),
    );
    expect(body).toEqual({
      q: "q",
      depth: "deep",
      outputType: "searchResults",
      maxResults: 5,
      fromDate: "2026-11-15",
      toDate: "2026-11-20",
      includeDomains: ["example.com"],
      excludeDomains: ["other.test"],
    });
    expect(downgrades).toEqual([]);
  });

  test.each([
    ["day", "2026-11-21"],
    ["month", "2026-10-22"],
    ["year", "2025-11-22"],
  ] as const)("time range %s", (timeRange, fromDate) => {
    expect(linkup.toRequest(providerQuery({ timeRange })).body).toMatchObject({ fromDate });
  });

  test("an answer and the text of pages exclude each other", () => {
    const { body, downgrades } = linkup.toRequest(providerQuery({ includeAnswer: true, includeRawContent: true }));
    expect(body).toMatchObject({ outputType: "sourcedAnswer" });
    expect(downgrades).toEqual([{ field: "include_raw_content", reason: "unsupported_combination" }]);
  });
});

describe("answer", () => {
  const page = { title: "T", url: "https://example.com/", published: null, score: null };
  const nothingElse = { requestId: null, units: null, costUsd: null, usage: {}, downgrades: [] };

  test("results have the text of the page", () => {
    const body = {
      results: [{ type: "text", name: "T", url: "https://example.com/", content: "long", favicon: "f" }, null],
    };
    expect(linkup.readAnswer(body, providerQuery())).toEqual({
      results: [{ ...page, snippet: "long", content: "long" }],
      answer: null,
      ...nothingElse,
    });
  });

  test("an answer has its sources as results", () => {
    const body = { answer: "So it is.", sources: [{ name: "T", url: "https://example.com/", snippet: "s" }] };
    expect(linkup.readAnswer(body, providerQuery({ includeAnswer: true }))).toEqual({
      results: [{ ...page, snippet: "s", content: null }],
      answer: { text: "So it is.", citedUrls: ["https://example.com/"] },
      ...nothingElse,
    });
  });

  test("an empty list is no fault", () => {
    expect(linkup.readAnswer({ results: [] }, providerQuery()).results).toEqual([]);
  });

  test("without a list it is none", () => {
    expect(() => linkup.readAnswer({ results: "x" }, providerQuery())).toThrow(AnswerFault);
    expect(() => linkup.readAnswer({ answer: "x" }, providerQuery({ includeAnswer: true }))).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  const error = (code: string) => ({ statusCode: 0, error: { code, message: "m", details: [] } });

  test.each([
    [400, error("VALIDATION_ERROR"), "request"],
    [400, error("SEARCH_QUERY_NO_RESULT"), "no_results"],
    [401, error("UNAUTHORIZED"), "credential"],
    [403, error("FORBIDDEN"), "credential"],
    [402, error("PAYMENT_REQUIRED"), "quota"],
    [429, error("INSUFFICIENT_FUNDS_CREDITS"), "quota"],
    [429, error("EXCEED_BUDGET_LIMIT"), "quota"],
    [429, error("TOO_MANY_REQUESTS"), "rate_limit"],
    [429, error("TASKS_QUEUE_LIMIT_EXCEEDED"), "rate_limit"],
    [429, null, "rate_limit"],
    [500, error("INTERNAL_SERVER_ERROR"), "server"],
    [504, "<html>", "timeout"],
  ] as const)("%i %j", (status, body, expected) => {
    expect(linkup.classifyError(status, body).class).toBe(expected);
  });

  test("keep the code, and the words on the field", () => {
    const details = [{ field: "outputType", message: "outputType must be one of the following values" }];
    const body = { statusCode: 400, error: { code: "VALIDATION_ERROR", message: "Validation failed", details } };
    expect(linkup.classifyError(400, body)).toEqual({
      class: "request",
      message: "outputType must be one of the following values",
      code: "VALIDATION_ERROR",
    });
  });
});
