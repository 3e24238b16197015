import type { SearchOutcome, WebSearchPart } from "../../../conversation/parts.ts";
import type { JsonObject } from "../../../json/values.ts";

/** A search of the web as an output item. */
export function encodeSearchItem({ query, outcome }: WebSearchPart, id: string): JsonObject {
  const sources =
    outcome !== undefined && "pages" in outcome
      ? { sources: outcome.pages.map(({ url }) => ({ type: "url", url })) }
      : {};
  const action = { type: "search", query, queries: [query], ...sources };
  return { id, type: "web_search_call", status: statusOf(outcome), action };
}

function statusOf(outcome: SearchOutcome | undefined): "in_progress" | "completed" | "failed" {
  if (outcome === undefined) return "in_progress";
  return "error" in outcome ? "failed" : "completed";
}
