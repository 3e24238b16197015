import { noRules } from "./domains/domain-rules.ts";
import type { SearchRequest } from "./request.ts";

/** A search for `q` that asks for nothing else, with changes. */
export function searchRequest(changes: Partial<SearchRequest> = {}): SearchRequest {
  return {
    query: "q",
    type: "web",
    region: null,
    language: null,
    timeRange: null,
    maxResults: 10,
    depth: "basic",
    includeAnswer: false,
    includeRawContent: false,
    includeProviderPayload: false,
    rules: noRules,
    providerOptions: {},
    now: Date.UTC(2026, 10, 22, 15, 30),
    ...changes,
  };
}
