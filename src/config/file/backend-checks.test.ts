import { describe, expect, test } from "bun:test";
import { ConfigError, formatProblem } from "../problem.ts";
import { readConfigText } from "./read-config-file.ts";

const read = (text: string) => readConfigText(text, "t.yaml", { TAVILY_API_KEY: "tvly-1" }, null);

function problemsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

const backends = (...lines: string[]) => `search:\n  backends:\n${lines.map((line) => `    - ${line}\n`).join("")}`;

describe("search backends", () => {
  test("have all fields", () => {
    const config = read(
      backends(
        '{ id: main, name: "Tavily EU", provider: tavily, base_url: "https://api.tavily.com/", api_key: "${TAVILY_API_KEY}",' +
          " search_price: 0.008, max_results: 5, timeout_ms: 4000, enabled: true, priority: 2, weight: 3, allow_fallback: true }",
      ),
    );
    expect(config.search.backends).toMatchObject([
      {
        id: "main",
        provider: {
          id: "tavily",
          dialects: ["tavily"],
          baseUrl: "https://api.tavily.com",
          apiKeys: ["tvly-1"],
          timeouts: { connectMs: 4_000, firstByteMs: 4_000, idleMs: 4_000, totalMs: 4_000 },
        },
        settings: {
          name: "Tavily EU",
          provider: "tavily",
          isEnabled: true,
          priority: 2,
          weight: 3,
          maxResults: 5,
          mayFallBack: true,
        },
        units: { basic: 1, advanced: 2, max: 2 },
        prices: { web_search: 8_000 },
      },
    ]);
  });

  test("need an id and a provider alone", () => {
    const [backend] = read(backends("{ id: main, provider: tavily }")).search.backends;
    expect(backend).toMatchObject({
      provider: { baseUrl: "https://api.tavily.com", apiKeys: [], timeouts: { connectMs: 5_000, totalMs: 8_000 } },
      settings: { name: "main", isEnabled: true, priority: 1, weight: 1, maxResults: 10, mayFallBack: false },
      prices: null,
    });
  });

  test("that pass the provider's cost through are held at the dearest known price of a unit", () => {
    const text = backends(
      "{ id: a, provider: tavily, cost: provider }",
      "{ id: b, provider: tavily, search_price: 1, cost: provider }",
    );
    expect(read(text).search.backends.map(({ prices }) => prices)).toEqual([
      { web_search: 8_000, cost: "provider" },
      { web_search: 1_000_000, cost: "provider" },
    ]);
  });

  test("without a configuration are the sandbox's, and not beside configured ones", () => {
    expect(read("").search.backends.map(({ id }) => id)).toEqual(["sandbox-search"]);
    expect(read(backends("{ id: main, provider: tavily }")).search.backends.map(({ id }) => id)).toEqual(["main"]);
    expect(read("search: { backends: [] }").search.backends).toEqual([]);
  });
});

test.each([
  ["{ provider: tavily }", "t.yaml:3:7: search.backends[0].id: found nothing"],
  ["{ id: a, provider: tavly }", 't.yaml:3:26: search.backends[0].provider: found "tavly"; allowed: one of '],
  [
    "{ id: a, provider: tavily, max_results: 0 }",
    "search.backends[0].max_results: found 0; allowed: a whole number of results from 1 to 100",
  ],
  [
    "{ id: a, provider: tavily, search_price: -1 }",
    "search.backends[0].search_price: found -1; allowed: a price in USD",
  ],
  ["{ id: a, provider: tavily, cost: mine }", 'search.backends[0].cost: found "mine"; allowed: one of provider'],
  ["{ id: a, provider: tavily, timeout_ms: 0 }", "search.backends[0].timeout_ms: found 0"],
  ["{ id: a, provider: tavily, enabled: maybe }", "search.backends[0].enabled"],
  ["{ id: a, provider: tavily, base_url: api.tavily.com }", "search.backends[0].base_url"],
  [
    "{ id: a, provider: tavily, apikey: x }",
    'search.backends[0].apikey: found an unknown name "apikey" (did you mean "api_key"?)',
  ],
  [
    "{ id: a, provider: tavily, api_key: x, api_keys: [y] }",
    "search.backends[0].api_keys: found both 'api_key' and 'api_keys'",
  ],
  ["{ id: auto, provider: tavily }", "search.backends[0].id: found 'auto', which leaves the choice to the gateway"],
])("%s is refused with its line", (line, problem) => {
  expect(problemsOf(backends(line)).join("\n")).toContain(problem);
});

test("two backends have no name in common", () => {
  const problems = problemsOf(backends("{ id: a, provider: tavily }", "{ id: b, name: a, provider: tavily }"));
  expect(problems.join("\n")).toContain(
    't.yaml:4:22: search.backends[1].name: found "a", which search.backends[0] has already',
  );
});
