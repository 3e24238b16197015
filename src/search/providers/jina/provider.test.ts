import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { readLanguage } from "../../places.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { jina } from "./provider.ts";

describe("request", () => {
  test("a plain search does not pay for pages", () => {
    expect(jina.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/",
      headers: { "x-respond-with": "no-content" },
      body: { q: "q", type: "web", num: 10 },
      downgrades: [],
    });
  });

  test("every field", () => {
    const { headers, body, downgrades } = jina.toRequest(
      providerQuery({
        type: "news",
        count: 20,
        country: "DE",
        language: readLanguage("he"),
        includeRawContent: true,
        includeDomains: ["example.com", "example.org"],
        excludeDomains: ["old.example.com"],
        options: { nfpr: true, location: "Berlin" },
      }),
    );
    expect(headers).toEqual({});
    expect(body).toEqual({
      q: "q -site:old.example.com",
      type: "news",
      num: 20,
      gl: "DE",
      hl: "iw",
      site: ["example.com", "example.org"],
      nfpr: true,
      location: "Berlin",
    });
    expect(downgrades).toEqual([]);
  });

  test("a language that Google has not is left out", () => {
    const { body, downgrades } = jina.toRequest(providerQuery({ language: readLanguage("sco") }));
    expect(body).not.toHaveProperty("hl");
    expect(downgrades).toEqual([{ field: "language", reason: "unknown_value" }]);
  });
});

describe("answer", () => {
  const result = { title: "T", url: "https://example.com/", description: "d" };
  const read = (item: object) => jina.readAnswer({ data: [item] }, providerQuery()).results[0];

  test("is read with its date, page and tokens, of which 10,000 are a unit", () => {
    const body = {
      code: 200,
      status: 20_000,
      data: [{ ...result, date: "Aug 31, 2022", content: "page", usage: { tokens: 12_345 } }],
      meta: { usage: { tokens: 12_345 } },
    };
    expect(jina.readAnswer(body, providerQuery())).toEqual({
      results: [
        {
          title: "T",
          url: "https://example.com/",
          snippet: "d",
          content: "page",
          published: "Aug 31, 2022",
          score: null,
        },
      ],
      answer: null,
      requestId: null,
      units: 2,
      costUsd: null,
      usage: { tokens: 12_345 },
      downgrades: [],
    });
  });

  test("may lack description, date, page and usage", () => {
    expect(read({ ...result, description: "", content: "page" })).toMatchObject({ snippet: "page" });
    expect(read(result)).toMatchObject({ content: null, published: null });
    expect(jina.readAnswer({ data: [] }, providerQuery())).toMatchObject({ results: [], units: null, usage: {} });
  });

  test.each([
    [10_000, 1],
    [10_001, 2],
    [50_000, 5],
  ])("%i tokens are %i units", (tokens, units) => {
    expect(jina.readAnswer({ data: [], meta: { usage: { tokens } } }, providerQuery()).units).toBe(units);
  });

  test.each([
    [{ date: "Aug 31, 2022" }, "2022-08-31T00:00:00Z"],
    [{ date: "2 weeks ago" }, "2026-11-08T15:30:00Z"],
    [{ publishedTime: "Tue, 11 Mar 2025 15:42:00 GMT" }, "2025-03-11T15:42:00Z"],
  ])("the date of %j is %s", (item, expected) => {
    expect(readDate(read({ ...result, ...item })?.published ?? null, providerQuery().now)).toBe(expected);
  });

  test("that is an error under a good status is a fault", () => {
    expect(() => jina.readAnswer({ data: null, code: 401 }, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  const error = (name: string, message: string) => ({
    data: null,
    name,
    message,
    readableMessage: `${name}: ${message}`,
  });

  test.each([
    [401, error("AuthenticationRequiredError", "Authentication is required."), "credential"],
    [402, error("InsufficientBalanceError", "Account balance not enough."), "quota"],
    [409, error("BudgetExceededError", "The budget is spent."), "quota"],
    [422, error("AssertionFailureError", "No search results available for query q"), "no_results"],
    [422, error("AssertionFailureError", "Cannot be resolved"), "request"],
    [400, error("ParamValidationError", "num"), "request"],
    [429, error("RateLimitTriggeredError", "slow down"), "rate_limit"],
    [451, error("SecurityCompromiseError", "blocked"), "request"],
    [503, error("ServiceNodeResourceDrainError", "busy"), "server"],
    [524, null, "server"],
  ] as const)("%i %j", (status, body, expected) => {
    expect(jina.classifyError(status, body)).toEqual({
      class: expected,
      message: body?.message ?? null,
      code: body?.name ?? null,
    });
  });

  test("may have a readable message alone", () => {
    expect(jina.classifyError(500, { readableMessage: "r" }).message).toBe("r");
  });
});
