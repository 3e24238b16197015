import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { readLanguage } from "../../places.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { serper } from "./provider.ts";

describe("request", () => {
  test("a plain search", () => {
    expect(serper.toRequest(providerQuery())).toEqual({
      method: "POST",
      path: "/search",
      headers: {},
      body: { q: "q", num: 10 },
      downgrades: [],
    });
    expect(serper.signing).toMatchObject({ in: "header" });
  });

  test("every field", () => {
    const { body, downgrades } = serper.toRequest(
      providerQuery({
        count: 20,
        country: "GB",
        language: readLanguage("pt-BR"),
        timeRange: "week",
        includeDomains: ["example.com", "example.org"],
        excludeDomains: ["old.example.com"],
        options: { location: "Leeds", gl: "de", q: "other" },
      }),
    );
    expect(body).toEqual({
      q: "q (site:example.com OR site:example.org) -site:old.example.com",
      num: 20,
      gl: "gb",
      hl: "pt-br",
      tbs: "qdr:w",
      location: "Leeds",
    });
    expect(downgrades).toEqual([]);
  });

  test("news has its own path", () => {
    expect(serper.toRequest(providerQuery({ type: "news", timeRange: "day" }))).toMatchObject({
      path: "/news",
      body: { q: "q", num: 10, tbs: "qdr:d" },
    });
  });

  test.each([
    [1, 10],
    [10, 10],
    [11, 20],
    [33, 40],
    [51, 100],
    [100, 100],
  ])("%i results are a page of %i", (count, num) => {
    expect(serper.toRequest(providerQuery({ count })).body).toMatchObject({ num });
  });

  test.each([
    ["month", "qdr:m"],
    ["year", "qdr:y"],
  ] as const)("a %s is %s", (timeRange, tbs) => {
    expect(serper.toRequest(providerQuery({ timeRange })).body).toMatchObject({ tbs });
  });

  test("a language that Google has not is left out", () => {
    const { body, downgrades } = serper.toRequest(providerQuery({ language: readLanguage("sco") }));
    expect(body).not.toHaveProperty("hl");
    expect(downgrades).toEqual([{ field: "language", reason: "unknown_value" }]);
  });
});

describe("answer", () => {
  const parameters = { searchParameters: { q: "q", type: "search" } };

  test("is read with its date and its credits", () => {
    const body = {
      ...parameters,
      answerBox: { title: "Fact", snippet: "So it is." },
      organic: [
        { title: "T", link: "https://example.com/", snippet: "s", date: "Aug 31, 2022", position: 1, sitelinks: [] },
        { title: "U", link: "https://example.com/u", position: 2 },
      ],
      credits: 2,
    };
    expect(serper.readAnswer(body, providerQuery())).toEqual({
      results: [
        {
          title: "T",
          url: "https://example.com/",
          snippet: "s",
          content: null,
          published: "Aug 31, 2022",
          score: null,
        },
        { title: "U", url: "https://example.com/u", snippet: "", content: null, published: null, score: null },
      ],
      answer: null,
      requestId: null,
      units: 2,
      costUsd: null,
      usage: { credits: 2 },
      downgrades: [],
    });
  });

  test("of news is another list, whose source is a name and no host", () => {
    const news = [{ title: "N", link: "https://example.com/n", snippet: "s", date: "2 weeks ago", source: "A Paper" }];
    const { results } = serper.readAnswer({ ...parameters, news, credits: 1 }, providerQuery({ type: "news" }));
    expect(results).toMatchObject([{ url: "https://example.com/n", published: "2 weeks ago" }]);
  });

  test.each([
    ["Aug 31, 2022", "2022-08-31T00:00:00Z"],
    ["3 days ago", "2026-11-19T15:30:00Z"],
    ["vor 2 Tagen", "2026-11-20T15:30:00Z"],
    ["31.08.", null],
  ])("the date '%s' is %p", (date, expected) => {
    const query = providerQuery();
    const { results } = serper.readAnswer({ organic: [{ date }] }, query);
    expect(readDate(results[0]?.published ?? null, query.now)).toBe(expected);
  });

  test("without pages is empty, and what is no answer is a fault", () => {
    expect(serper.readAnswer({ ...parameters, organic: [] }, providerQuery()).results).toEqual([]);
    expect(serper.readAnswer({ ...parameters, credits: 1 }, providerQuery())).toMatchObject({ results: [], units: 1 });
    const error = { message: "Not enough credits", statusCode: 400 };
    expect(() => serper.readAnswer(error, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  test.each([
    [403, { message: "Unauthorized.", statusCode: 403 }, "credential"],
    [400, { message: "Not enough credits", statusCode: 400 }, "quota"],
    [400, { message: "Missing query parameter", statusCode: 400 }, "request"],
    [400, { message: "Query pattern not allowed for free accounts", statusCode: 400 }, "request"],
    [400, null, "request"],
    [429, { message: "Rate limit exceeded", statusCode: 429 }, "rate_limit"],
    [500, { message: "Internal server error", statusCode: 500 }, "server"],
    [502, null, "server"],
    [504, "x", "timeout"],
  ] as const)("%i %j", (status, body, expected) => {
    const message = typeof body === "object" && body !== null ? body.message : null;
    expect(serper.classifyError(status, body)).toEqual({ class: expected, message, code: null });
  });
});
