import { describe, expect, test } from "bun:test";
import { exaFetcher } from "./exa/fetch.ts";
import { firecrawlFetcher } from "./firecrawl/fetch.ts";
import { jina } from "./jina/provider.ts";
import { parallelFetcher } from "./parallel/fetch.ts";
import { tavilyFetcher } from "./tavily/fetch.ts";

/** What each provider is sent for pages, and what it means by its answers. */

const urls = ["https://example.com/a", "https://example.com/b"];
const query = { urls, format: "markdown", timeoutMs: 7_000 } as const;
const one = { ...query, urls: ["https://example.com/a"] };
const jinaFetcher = jina.fetch;

describe("requests", () => {
  test("Tavily", () => {
    expect(tavilyFetcher.toRequest({ ...query, format: "text" })).toEqual({
      method: "POST",
      path: "/extract",
      headers: {},
      body: { urls, extract_depth: "basic", format: "text", timeout: 7, include_usage: true },
    });
    expect(tavilyFetcher.toRequest({ ...query, timeoutMs: 100 }).body).toMatchObject({ timeout: 1 });
    expect(tavilyFetcher.toRequest({ ...query, timeoutMs: 100_000 }).body).toMatchObject({ timeout: 60 });
  });

  test("Exa", () => {
    expect(exaFetcher.toRequest(query)).toEqual({
      method: "POST",
      path: "/contents",
      headers: {},
      body: { urls, text: true },
    });
  });

  test("Parallel", () => {
    expect(parallelFetcher.toRequest(query)).toEqual({
      method: "POST",
      path: "/v1/extract",
      headers: {},
      body: { urls, advanced_settings: { full_content: true } },
    });
  });

  test("Jina", () => {
    expect(jinaFetcher?.toRequest({ ...one, format: "text" })).toEqual({
      method: "POST",
      path: "/",
      headers: { "x-return-format": "text", "x-timeout": "7", "x-token-budget": "200000" },
      body: { url: "https://example.com/a" },
    });
  });

  test("Firecrawl", () => {
    expect(firecrawlFetcher.toRequest(one)).toEqual({
      method: "POST",
      path: "/v2/scrape",
      headers: {},
      body: {
        url: "https://example.com/a",
        formats: ["markdown"],
        onlyMainContent: true,
        proxy: "basic",
        timeout: 7_000,
      },
    });
  });
});

describe("answers", () => {
  test("Tavily says what failed by words", () => {
    const { pages, units } = tavilyFetcher.readAnswer({
      results: [{ url: urls[0], title: "A", raw_content: "a" }],
      failed_results: [{ url: urls[1], error: "403 Forbidden" }],
      usage: { credits: 1 },
    });
    expect(units).toBe(1);
    expect(pages).toMatchObject([{ asked: urls[0], title: "A", content: "a", error: null }, { error: "forbidden" }]);
  });

  test("Exa says what failed by statuses, and tells the cost", () => {
    const { pages, costUsd } = exaFetcher.readAnswer({
      results: [{ id: urls[0], url: "https://example.com/moved", title: "A", text: "a" }],
      statuses: [
        { id: urls[0], status: "success" },
        { id: urls[1], status: "error", error: { tag: "SOURCE_NOT_AVAILABLE", httpStatusCode: 403 } },
      ],
      costDollars: { total: 0.001 },
    });
    expect(costUsd).toBe(0.001);
    expect(pages).toMatchObject([
      { asked: urls[0], url: "https://example.com/moved", content: "a" },
      { asked: urls[1], error: "forbidden" },
    ]);
  });

  test("Parallel has excerpts if it has no whole page, and counts pages", () => {
    const { pages, units } = parallelFetcher.readAnswer({
      results: [{ url: urls[0], title: "A", excerpts: ["a", "b"], full_content: null }],
      errors: [{ url: urls[1], error_type: "fetch_timeout", http_status_code: null }],
      usage: [{ name: "sku_extract_full_content", count: 1 }],
    });
    expect(units).toBe(0.2);
    expect(pages).toMatchObject([{ content: "a\n\nb" }, { error: "timeout" }]);
  });

  test.each([
    [
      { data: { url: urls[0], title: "A", content: "a", usage: { tokens: 2_500 } } },
      { content: "a", error: null },
      0.25,
    ],
    [{ data: { content: "x", warning: "Target URL returned error 403: Forbidden" } }, { error: "forbidden" }, null],
  ])("Jina: %j", (body, page, units) => {
    expect(jinaFetcher?.readAnswer(body)).toMatchObject({ pages: [page], units });
  });

  test.each([
    [{ success: true, data: { markdown: "a", metadata: { statusCode: 200, creditsUsed: 1 } } }, null, 1],
    [{ success: true, data: { markdown: "a", metadata: { statusCode: 404 } } }, "not_found", null],
    [{ success: true, data: { markdown: "a", metadata: { statusCode: 503 } } }, "failed", null],
  ])("Firecrawl: %j", (body, error, units) => {
    expect(firecrawlFetcher.readAnswer(body)).toMatchObject({ pages: [{ content: "a", error }], units });
  });
});

describe("errors", () => {
  test.each([
    [422, { message: "Failed to goto https://example.com: TimeoutError" }, { page: "timeout" }],
    [422, { message: "Failed to goto https://example.com" }, { page: "failed" }],
    [409, { message: "Token budget (200000) exceeded" }, { page: "too_large" }],
    [451, { message: "Access to this domain is blocked" }, { page: "forbidden" }],
    [400, { message: "Domain 'example.com' could not be resolved" }, { page: "not_found" }],
    [400, { message: "Unknown parameter" }, { class: "request" }],
    [401, null, { class: "credential" }],
    [402, null, { class: "quota" }],
    [429, null, { class: "rate_limit" }],
    [500, null, { class: "server" }],
  ])("Jina: %i %j", (status, body, meaning) => {
    expect(jinaFetcher?.classifyError(status, body)).toMatchObject(meaning);
  });

  test.each([
    [408, { success: false, code: "SCRAPE_TIMEOUT", error: "The scrape timed out" }, { page: "timeout" }],
    [408, null, { page: "timeout" }],
    [500, { success: false, code: "SCRAPE_DNS_RESOLUTION_ERROR", error: "DNS" }, { page: "not_found" }],
    [500, { success: false, code: "SCRAPE_ALL_ENGINES_FAILED", error: "All engines failed" }, { page: "failed" }],
    [403, { success: false, error: "This website is not supported" }, { page: "forbidden" }],
    [403, { success: false, error: "Unauthorized" }, { class: "credential" }],
    [402, null, { class: "quota" }],
    [429, null, { class: "rate_limit" }],
    [500, { success: false, error: "Internal" }, { class: "server" }],
  ])("Firecrawl: %i %j", (status, body, meaning) => {
    expect(firecrawlFetcher.classifyError(status, body)).toMatchObject(meaning);
  });
});
