import type { FoundPage, SearchOutcome, WebSearchPart } from "../../../conversation/parts.ts";
import type { JsonObject } from "../../../json/values.ts";

/** Anthropic's words for why a search was not made, or failed. */
const errorCodes: Readonly<Record<Extract<SearchOutcome, { error: unknown }>["error"], string>> = {
  invalid_query: "invalid_tool_input",
  unavailable: "unavailable",
  max_uses_exceeded: "max_uses_exceeded",
};

/** The model calls the tool by itself, and not from code that it runs. */
const caller = { type: "direct" } as const;

/** A search as two blocks: the call, and its results if it has ended. */
export function encodeSearch(part: WebSearchPart): JsonObject[] {
  const call = { ...openingSearch(part), input: { query: part.query } };
  return part.outcome === undefined ? [call] : [call, encodeSearchOutcome(part, part.outcome)];
}

/** The call before its input is written. */
export function openingSearch({ id }: Pick<WebSearchPart, "id">): JsonObject {
  return { type: "server_tool_use", id: toolIdOf(id), name: "web_search", input: {}, caller };
}

export function encodeSearchOutcome({ id }: Pick<WebSearchPart, "id">, outcome: SearchOutcome): JsonObject {
  const content =
    "error" in outcome
      ? { type: "web_search_tool_result_error", error_code: errorCodes[outcome.error] }
      : outcome.pages.map(encodePage);
  return { type: "web_search_tool_result", tool_use_id: toolIdOf(id), content, caller };
}

function toolIdOf(id: string): string {
  return `srvtoolu_${id}`;
}

/** What the page says is for its maker alone at Anthropic, so it is given in a form that is not for reading either. */
function encodePage({ url, title, snippet, publishedAt }: FoundPage): JsonObject {
  const encrypted = Buffer.from(snippet).toString("base64");
  return { type: "web_search_result", url, title, encrypted_content: encrypted, page_age: publishedAt };
}
