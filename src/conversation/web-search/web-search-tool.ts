import type { ConversationRequest, NativeTool } from "../request.ts";

/** The names by which Google's search stands among the members of a tool. */
export const googleSearchNames = ["googleSearch", "google_search", "googleSearchRetrieval", "google_search_retrieval"];

/** Whether a vendor's own tool is its search of the web: `web_search`, `web_search_20250305` and the like. */
export function isWebSearch({ vendor, value }: Pick<NativeTool, "vendor" | "value">): boolean {
  if (vendor === "google") return googleSearchNames.some((name) => name in value);
  return typeof value.type === "string" && value.type.startsWith("web_search");
}

/** Whether a request offers its model a search of the web. */
export function asksForSearch({ tools, vendorFields }: Pick<ConversationRequest, "tools" | "vendorFields">): boolean {
  if (vendorFields?.["openai.web_search_options"] !== undefined) return true;
  return tools?.some((tool) => tool.type === "native" && isWebSearch(tool)) === true;
}
