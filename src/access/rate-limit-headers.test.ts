import { describe, expect, test } from "bun:test";
import { formatReset, rateLimitHeaders } from "./rate-limit-headers.ts";
import { book, emptyWindow } from "./sliding-window.ts";

describe("formatReset", () => {
  test.each([
    [0, "0ms"],
    [119.2, "120ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [8_640, "8.64s"],
    [59_999, "59.999s"],
    [60_000, "1m0s"],
    [60_001, "1m1s"],
    [360_000, "6m0s"],
  ])("writes %d ms as %s", (milliseconds, text) => {
    expect(formatReset(milliseconds)).toBe(text);
  });
});

describe("rateLimitHeaders", () => {
  const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: 3 };

  test("contain only the limits that the key has", () => {
    expect(rateLimitHeaders(none, undefined, 0)).toEqual({});
    expect(rateLimitHeaders({ ...none, tokensPerMinute: 10 }, undefined, 0)).toEqual({
      "x-ratelimit-limit-tokens": "10",
      "x-ratelimit-remaining-tokens": "10",
      "x-ratelimit-reset-tokens": "0ms",
    });
  });

  test("contain the remaining amount and the time until it is reset", () => {
    const used = { requests: emptyWindow(), tokens: emptyWindow() };
    book(used.requests, 2, 1_000);
    book(used.tokens, 500, 1_000);
    expect(rateLimitHeaders({ ...none, requestsPerMinute: 5, tokensPerMinute: 400 }, used, 2_000)).toEqual({
      "x-ratelimit-limit-requests": "5",
      "x-ratelimit-remaining-requests": "3",
      "x-ratelimit-reset-requests": "59s",
      "x-ratelimit-limit-tokens": "400",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "59s",
    });
  });
});
