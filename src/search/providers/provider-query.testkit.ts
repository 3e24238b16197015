import type { ProviderQuery } from "../query.ts";

/** A search for `q` that asks for nothing else, with changes. */
export function providerQuery(changes: Partial<ProviderQuery> = {}): ProviderQuery {
  return {
    query: "q",
    type: "web",
    count: 10,
    country: null,
    language: null,
    timeRange: null,
    depth: "basic",
    includeAnswer: false,
    includeRawContent: false,
    includeDomains: [],
    excludeDomains: [],
    options: {},
    now: Date.UTC(2026, 10, 22, 15, 30),
    ...changes,
  };
}
