import { describe, expect, test } from "bun:test";
import { ConfigError, formatProblem } from "../problem.ts";
import { readConfigText } from "./read-config-file.ts";

const read = (text: string) => readConfigText(text, "t.yaml", {}, null).search;

function problemsOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem).join("\n");
    throw error;
  }
  return "";
}

describe("the cache of searches", () => {
  test.each([
    ["", null],
    ["search: { cache: {} }", { ttlMs: 600_000, maxBytes: 64 << 20 }],
    ["search: { cache: { ttl: 90s, max_bytes: 8MiB } }", { ttlMs: 90_000, maxBytes: 8 << 20 }],
    ["search: { cache: { max_bytes: 2000000 } }", { ttlMs: 600_000, maxBytes: 2_000_000 }],
    ["search: { cache: { max_bytes: 64GiB } }", { ttlMs: 600_000, maxBytes: 64 * 2 ** 30 }],
  ])("%j", (text, cache) => {
    expect(read(text).cache).toEqual(cache);
  });

  test.each([
    ["ttl: 25h", "search.cache.ttl"],
    ["ttl: 600", "search.cache.ttl"],
    ["ttl: 0s", "search.cache.ttl"],
    ["max_bytes: 1000", "search.cache.max_bytes"],
    ["max_bytes: 65GiB", "search.cache.max_bytes"],
    ["max_bytes: 64MB", "search.cache.max_bytes"],
    ["max_bytes: -1", "search.cache.max_bytes"],
    ["max_bytes: 1.5MiB", "search.cache.max_bytes"],
    ["size: 1", "search.cache.size"],
  ])("%s is refused", (line, path) => {
    expect(problemsOf(`search: { cache: { ${line} } }`)).toContain(path);
  });
});

test("a backend keeps answers if its vendor's terms allow it, or as it is told", () => {
  const backend = (more: string) =>
    read(`search: { backends: [{ id: a, ${more} }] }`).backends.map(({ settings }) => settings.mayCache);
  expect(backend("provider: tavily")).toEqual([true]);
  expect(backend("provider: tavily, cache: false")).toEqual([false]);
  expect(backend("provider: brave")).toEqual([false]);
  expect(backend("provider: brave, cache: true")).toEqual([true]);
  expect(problemsOf("search: { backends: [{ id: a, provider: tavily, cache: 10m }] }")).toContain("backends[0].cache");
});
