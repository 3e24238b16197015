import type { Part } from "../conversation/parts.ts";
import type { ConversationRequest, Tool } from "../conversation/request.ts";
import { toQuantity } from "../dimensions.ts";
import type { JsonObject } from "../json/values.ts";

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
}

/** The same while it is being gathered. */
export interface GrowingContent extends PromptContent {
  readonly texts: string[];
  messages: number;
  images: number;
  media: number;
  hostedTools: number;
  searches: number;
  hasInstructions: boolean;
}

export function noContent(): GrowingContent {
  return { texts: [], messages: 0, images: 0, media: 0, hostedTools: 0, searches: 0, hasInstructions: false };
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
  content.searches = Math.min(content.searches, readLimit(vendorFields?.["openai.max_tool_calls"]) ?? Infinity);
  if (vendorFields?.["openai.web_search_options"] !== undefined) content.hostedTools++;
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
    if (isWebSearch(tool.value)) content.searches += readLimit(tool.value.max_uses) ?? maxSearches;
    return addJson(content, tool.value);
  }
  addText(content, tool.name);
  addText(content, tool.description);
  if (tool.type === "function") addJson(content, tool.parameters);
  else if (tool.format?.type === "grammar") addText(content, tool.format.definition);
}

/** `web_search`, `web_search_preview`, `web_search_20250305` and the like. */
function isWebSearch({ type }: JsonObject): boolean {
  return typeof type === "string" && type.startsWith("web_search");
}

/** How often a tool may be called, as the caller limits it; null if it does not. */
function readLimit(value: unknown): number | null {
  return typeof value === "number" && value >= 0 ? toQuantity(value) : null;
}
