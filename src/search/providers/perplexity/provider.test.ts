import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { readLanguage } from "../../places.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { perplexity } from "./provider.ts";

describe("request", () => {
  test("a plain search", () => {
    expect(perplexity.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/search",
      headers: {},
      body: { query: "q", max_results: 10 },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { body, downgrades } = perplexity.toRequest(
      providerQuery({
        count: 20,
        country: "DE",
        language: readLanguage("pt-BR"),
        timeRange: "week",
        includeRawContent: true,
        includeDomains: ["example.com"],
        options: { max_tokens_per_page: 512, query: "other" },
      }),
    );
    expect(body).toEqual({
      query: "q",
      max_results: 20,
      country: "DE",
      search_language_filter: ["pt"],
      search_recency_filter: "week",
      search_domain_filter: ["example.com"],
      max_tokens_per_page: 512,
    });
    expect(downgrades).toEqual([]);
  });

  test("domains that are left out have a minus, and are never mixed with others", () => {
    const excludeDomains = ["example.com", "example.org"];
    expect(perplexity.toRequest(providerQuery({ excludeDomains })).body).toMatchObject({
      search_domain_filter: ["-example.com", "-example.org"],
    });
    const both = perplexity.toRequest(providerQuery({ includeDomains: ["example.net"], excludeDomains }));
    expect(both.body).toMatchObject({ search_domain_filter: ["example.net"] });
    expect(perplexity.capabilities.mixesDomainLists).toBe(false);
  });

  test("a language of three letters is left out", () => {
    const { body, downgrades } = perplexity.toRequest(providerQuery({ language: readLanguage("haw") }));
    expect(body).not.toHaveProperty("search_language_filter");
    expect(downgrades).toEqual([{ field: "language", reason: "unknown_value" }]);
  });

  test("dates in the options take the place of a range of time", () => {
    const options = { search_after_date_filter: "11/01/2026" };
    const { body, downgrades } = perplexity.toRequest(providerQuery({ timeRange: "day", options }));
    expect(body).toEqual({ query: "q", max_results: 10, ...options });
    expect(downgrades).toEqual([{ field: "time_range", reason: "unsupported_combination" }]);
    expect(perplexity.toRequest(providerQuery({ options })).downgrades).toEqual([]);
  });
});

describe("answer", () => {
  const result = { title: "T", url: "https://example.com/", snippet: "a long extract" };

  test("is read with its date and its extract as content", () => {
    const body = { id: "s-1", results: [{ ...result, date: "2026-11-14", last_updated: "2026-11-20" }] };
    expect(perplexity.readAnswer(body, providerQuery())).toEqual({
      results: [
        {
          title: "T",
          url: "https://example.com/",
          snippet: "a long extract",
          content: "a long extract",
          published: "2026-11-14",
          score: null,
        },
      ],
      answer: null,
      requestId: "s-1",
      units: null,
      costUsd: null,
      usage: {},
      downgrades: [],
    });
  });

  test.each([
    ["2026-11-14", "2026-11-14T00:00:00Z"],
    [null, null],
    ["", null],
  ])("the date %p is %p", (date, expected) => {
    const body = { results: [{ ...result, date, last_updated: "2026-11-20" }] };
    const { results } = perplexity.readAnswer(body, providerQuery());
    expect(readDate(results[0]?.published ?? null, 0)).toBe(expected);
  });

  test("without pages is empty, and what is no answer is a fault", () => {
    expect(perplexity.readAnswer({ id: "s", results: [] }, providerQuery()).results).toEqual([]);
    expect(() => perplexity.readAnswer({ error: { message: "x" } }, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  const error = (type: string, code: string | number = 0) => ({ error: { message: "m", type, code } });

  test.each([
    [401, error("invalid_api_key", 401), "credential"],
    [401, "<html>", "credential"],
    [401, error("insufficient_quota", 401), "quota"],
    [403, null, "credential"],
    [400, error("bad_request", 400), "request"],
    [422, { detail: [{ msg: "m", loc: ["body", "country"] }] }, "request"],
    [429, error("rate_limit"), "rate_limit"],
    [429, error("x", "insufficient_quota"), "quota"],
    [500, null, "server"],
    [524, null, "server"],
  ] as const)("%i %j", (status, body, expected) => {
    const { class: kind, message } = perplexity.classifyError(status, body);
    expect(kind).toBe(expected);
    expect(message).toBe(typeof body === "object" && body !== null ? "m" : null);
  });
});
