import { describe, expect, test } from "bun:test";
import { AnswerFault } from "../../../dialects/exchange.ts";
import { readDate } from "../../normalize/dates.ts";
import { readLanguage } from "../../places.ts";
import type { ProviderQuery } from "../../query.ts";
import { providerQuery } from "../provider-query.testkit.ts";
import { serpapi } from "./provider.ts";

function parametersOf(changes: Partial<ProviderQuery>): Record<string, string> {
  const { path } = serpapi.toRequest(providerQuery(changes));
  return Object.fromEntries(new URL(path, "https://x.test").searchParams);
}

describe("request", () => {
  test("a plain search", () => {
    expect(serpapi.toRequest(providerQuery())).toEqual({
      method: "GET",
      path: "/search.json?engine=google&q=q",
      headers: {},
      body: null,
      downgrades: [],
    });
  });

  test("every field", () => {
    const parameters = parametersOf({
      query: "a & b",
      count: 5,
      type: "news",
      country: "DE",
      language: readLanguage("pt-BR"),
      timeRange: "week",
      includeDomains: ["example.com", "example.org"],
      excludeDomains: ["other.test"],
      options: { safe: "active", start: 10 },
    });
    expect(parameters).toEqual({
      engine: "google",
      q: "a & b (site:example.com OR site:example.org) -site:other.test",
      tbm: "nws",
      gl: "de",
      hl: "pt-br",
      tbs: "qdr:w",
      safe: "active",
      start: "10",
    });
  });

  test.each([
    ["day", "qdr:d"],
    ["month", "qdr:m"],
    ["year", "qdr:y"],
  ] as const)("time range %s", (timeRange, tbs) => {
    expect(parametersOf({ timeRange })).toMatchObject({ tbs });
  });

  test("a language that Google does not have is left out", () => {
    const call = serpapi.toRequest(providerQuery({ language: readLanguage("sco") }));
    expect(call.path).toBe("/search.json?engine=google&q=q");
    expect(call.downgrades).toEqual([{ field: "language", reason: "unknown_value" }]);
  });
});

describe("answer", () => {
  const link = "https://example.com/";
  const success = { search_metadata: { id: "id-1", status: "Success" } };

  test("of the web", () => {
    const item = {
      position: 1,
      title: "T",
      link,
      displayed_link: "https://evil.test",
      source: "Name",
      date: "Aug 31, 2022",
      snippet: "s",
    };
    const body = { ...success, organic_results: [item], answer_box: { link: "https://other.test" } };
    expect(serpapi.readAnswer(body, providerQuery())).toEqual({
      results: [{ title: "T", url: link, snippet: "s", content: null, published: "Aug 31, 2022", score: null }],
      answer: null,
      requestId: "id-1",
      units: null,
      costUsd: null,
      usage: {},
      downgrades: [],
    });
  });

  test("of news, with the dates that it writes", () => {
    const dates = ["3 days ago", "11/12/2024, 09:03 AM, +0200 EET", "vor 2 Tagen", "Aug 31, 2022", "Oct 3", ""];
    const body = { ...success, news_results: dates.map((date) => ({ title: "T", link, source: "Name", date })) };
    const { results } = serpapi.readAnswer(body, providerQuery({ type: "news" }));
    const now = Date.UTC(2026, 10, 22, 15);
    expect(results.map(({ published }) => readDate(published, now))).toEqual([
      "2026-11-19T15:00:00Z",
      "2024-11-12T07:03:00Z",
      "2026-11-20T15:00:00Z",
      "2022-08-31T00:00:00Z",
      null,
      null,
    ]);
  });

  test.each([
    [{ ...success, error: "Google hasn't returned any results for this query." }],
    [{ error: "Google hasn't returned any results for this query." }],
    [{ ...success, organic_results: [] }],
  ])("%j is empty", (body) => {
    expect(serpapi.readAnswer(body, providerQuery()).results).toEqual([]);
  });

  test.each([
    [{ search_metadata: { status: "Error" }, error: "We couldn't get valid results for this search." }],
    [{ search_metadata: { status: "Error" }, organic_results: [] }],
    [{ search_metadata: { status: "Processing" } }],
    [{ error: "Something went wrong." }],
    [{}],
  ])("%j is none", (body) => {
    expect(() => serpapi.readAnswer(body, providerQuery())).toThrow(AnswerFault);
  });
});

describe("errors", () => {
  test.each([
    [400, { error: "Missing query `q` parameter." }, "request"],
    [401, { error: "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key" }, "credential"],
    [403, null, "credential"],
    [429, { error: "Your account has run out of searches." }, "quota"],
    [429, { error: "You are exceeding the hourly throughput limit." }, "rate_limit"],
    [429, null, "rate_limit"],
    [500, null, "server"],
    [503, { search_metadata: { status: "Error" }, error: "We couldn't get valid results for this search." }, "server"],
  ] as const)("%i %j", (status, body, expected) => {
    expect(serpapi.classifyError(status, body).class).toBe(expected);
  });

  test("keep the provider's words", () => {
    expect(serpapi.classifyError(400, { error: "no" })).toEqual({ class: "request", message: "no", code: null });
  });
});
