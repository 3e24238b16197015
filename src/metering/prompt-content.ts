import type { Part } from "../conversation/parts.ts";
import type { ConversationRequest, NativeTool, Tool } from "../conversation/request.ts";
import { isWebSearch } from "../conversation/web-search/web-search-tool.ts";
import { toQuantity } from "../dimensions.ts";

/** Searches of one request for which money is held if the caller does not limit them. More are not charged then. */
const maxSearches = 100;

/** The content of a request that a model reads as tokens, independent of the dialect. */
export interface PromptContent {
  readonly texts: readonly string[];
  /** Turns: all instructions together are one, each tool result is one. */
  readonly messages: number;
  readonly images: number;
  /** Audio, videos and files. */
  readonly media: number;
  /** Tools that the provider runs: what they find is read as well. */
  readonly hostedTools: number;
  /** Searches that the provider may run at most. */
  readonly searches: number;
  /** Of the tools that the provider runs: those that search the web, which some models leave to the gateway. */
  readonly webSearches: { readonly tools: number; readonly maxUses: number | null };
}

/** The same while it is being gathered. */
export interface GrowingContent extends PromptContent {
  readonly texts: string[];
  messages: number;
  images: number;
  media: number;
  hostedTools: number;
  searches: number;
  webSearches: { tools: number; maxUses: number | null };
  hasInstructions: boolean;
}

export function noContent(): GrowingContent {
  const webSearches = { tools: 0, maxUses: null };
  return {
    texts: [],
    messages: 0,
    images: 0,
    media: 0,
    hostedTools: 0,
    searches: 0,
    webSearches,
    hasInstructions: false,
  };
}

export function addText(content: GrowingContent, text: unknown): void {
  if (typeof text === "string" && text !== "") content.texts.push(text);
}

/** Adds a schema, or anything else that is read as JSON. */
export function addJson(content: GrowingContent, value: unknown): void {
  if (typeof value === "object" && value !== null) content.texts.push(JSON.stringify(value));
}

export function addInstructions(content: GrowingContent): void {
  if (!content.hasInstructions) content.messages++;
  content.hasInstructions = true;
}

/** Gathers what a model reads of a conversation in the neutral form. */
export function conversationContent(request: ConversationRequest): PromptContent {
  const { messages, tools, responseFormat, vendorFields } = request;
  const content = noContent();
  for (const { role, parts, name } of messages) {
    if (role === "system" || role === "developer") addInstructions(content);
    else content.messages += role === "tool" ? parts.length : 1;
    addText(content, name);
    for (const part of parts) addPart(content, part);
  }
  for (const tool of tools ?? []) addTool(content, tool);
  const maxCalls = readLimit(vendorFields?.["openai.max_tool_calls"]);
  content.searches = Math.min(content.searches, maxCalls ?? Infinity);
  if (vendorFields?.["openai.web_search_options"] !== undefined) {
    content.hostedTools++;
    content.webSearches.tools++;
  }
  limitSearches(content, maxCalls);
  if (responseFormat?.type === "schema") {
    addText(content, responseFormat.description);
    addJson(content, responseFormat.schema);
  }
  return content;
}

function addPart(content: GrowingContent, part: Part): void {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return addText(content, part.text);
    case "tool-call":
      addText(content, part.name);
      return addText(content, part.input);
    case "tool-result":
      return part.parts.forEach((inner) => addPart(content, inner));
    case "native":
      return addJson(content, part.value);
    case "image":
      content.images++;
      return;
    case "document":
      if (part.source.type === "text") addText(content, part.source.text);
      else content.media++;
      return;
    default:
      content.media++;
  }
}

function addTool(content: GrowingContent, tool: Tool): void {
  if (tool.type === "native") {
    content.hostedTools++;
    if (isWebSearch(tool)) addWebSearch(content, tool);
    return addJson(content, tool.value);
  }
  addText(content, tool.name);
  addText(content, tool.description);
  if (tool.type === "function") addJson(content, tool.parameters);
  else if (tool.format?.type === "grammar") addText(content, tool.format.definition);
}

function addWebSearch(content: GrowingContent, { vendor, value }: NativeTool): void {
  const maxUses = readLimit(value.max_uses);
  // What Google's searches cost is no price of a unit.
  if (vendor !== "google") content.searches += maxUses ?? maxSearches;
  content.webSearches.tools++;
  limitSearches(content, maxUses);
}

function limitSearches({ webSearches }: GrowingContent, maxUses: number | null): void {
  if (maxUses !== null) webSearches.maxUses = Math.min(webSearches.maxUses ?? Infinity, maxUses);
}

/** How often a tool may be called, as the caller limits it; null if it does not. */
function readLimit(value: unknown): number | null {
  return typeof value === "number" && value >= 0 ? toQuantity(value) : null;
}
