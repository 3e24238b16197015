import type { JsonObject, Part } from "../../conversation/parts.ts";
import type {
  ConversationRequest,
  FunctionTool,
  Message,
  NativeTool,
  Tool,
  ToolChoice,
} from "../../conversation/request.ts";
import { callerPath } from "../../conversation/fields/used-fields.ts";
import type { SearchingRequest } from "../../conversation/web-search/search-loop.ts";
import { unsupportedParameter } from "../../errors.ts";
import { isObject, listOrEmpty } from "../../json/values.ts";
import type { WebSearchSettings } from "../../routing/names/model.ts";
import { isWebSearch } from "../../conversation/web-search/web-search-tool.ts";
import { type AskedSearch, readAskedSearch } from "./asked-search.ts";

/** A request whose web search the gateway runs. */
export interface OfferedSearch extends SearchingRequest {
  readonly asked: AskedSearch;
  readonly settings: WebSearchSettings;
}

const description =
  "Searches the web. Use it for what is recent, for facts you are not sure of, and if you are asked to search. " +
  "Its results are numbered: cite them by number.";

const searchName = "web_search";

const parameters: JsonObject = {
  type: "object",
  properties: {
    query: { type: "string", description: "What to search for, as one would type it into a search engine." },
  },
  required: ["query"],
  additionalProperties: false,
};

/**
 * The request with a function `web_search` in place of the vendor's own tool, and without the searches of earlier answers,
 * whose results are the vendor's own or the gateway's: the texts that cite them stay.
 * @throws a 400 or 403 that names the caller's field
 */
export function offerSearch(
  request: ConversationRequest,
  settings: WebSearchSettings,
  keyDomains: ReadonlySet<string> | null,
): OfferedSearch {
  if ((request.candidateCount ?? 1) > 1) {
    const path = callerPath(request, "candidateCount");
    throw unsupportedParameter(path, `'${path}' above 1 cannot be combined with a web search that the gateway runs.`);
  }
  const asked = readAskedSearch(request, keyDomains);
  const toolName = freeName(request);
  const { "openai.web_search_options": _, "openai.max_tool_calls": __, ...vendorFields } = request.vendorFields ?? {};
  const conversation: ConversationRequest = {
    ...request,
    messages: withoutSearches(request).messages,
    tools: [...(request.tools ?? []).flatMap(withoutSearch), searchTool(toolName)],
    toolChoice: choiceOf(request.toolChoice, toolName),
    vendorFields: withoutIncludes(vendorFields),
  };
  return {
    conversation,
    toolName,
    asked,
    settings,
    maxSearches: Math.min(settings.maxRounds, asked.maxUses ?? Infinity),
  };
}

function searchTool(name: string): FunctionTool {
  return { type: "function", name, description, parameters };
}

/** The name of the function: another one if the caller has a tool of that name. */
function freeName({ tools }: ConversationRequest): string {
  const taken = new Set((tools ?? []).flatMap((tool) => (tool.type === "native" ? [] : [tool.name])));
  let name = searchName;
  for (let count = 2; taken.has(name); count++) name = `${searchName}_${count}`;
  return name;
}

/** At Google one entry holds several tools. */
function withoutSearch(tool: Tool): readonly Tool[] {
  if (tool.type !== "native" || !isWebSearch(tool)) return [tool];
  if (tool.vendor !== "google") return [];
  const rest = Object.entries(tool.value).filter(([name]) => !isWebSearch(onlyWith(tool, name)));
  return rest.length === 0 ? [] : [{ ...tool, value: Object.fromEntries(rest) }];
}

function onlyWith(tool: NativeTool, name: string): NativeTool {
  return { ...tool, value: { [name]: tool.value[name] } };
}

/** Results of the gateway's own searches are asked for by names that other providers do not know. */
function withoutIncludes(
  fields: NonNullable<ConversationRequest["vendorFields"]>,
): ConversationRequest["vendorFields"] {
  const include = fields["openai.include"];
  if (!Array.isArray(include)) return fields;
  const others = include.filter((name) => typeof name !== "string" || !name.startsWith("web_search_call."));
  const { "openai.include": _, ...rest } = fields;
  return others.length === 0 ? rest : { ...rest, "openai.include": others };
}

/** A choice by the name `web_search` is of the caller's own function, if it has one of that name. */
function choiceOf(choice: ToolChoice | undefined, toolName: string): ToolChoice | undefined {
  if (choice?.type === "tool" && choice.name === toolName) return { ...choice, kind: "function" };
  if (choice?.type !== "native") return choice;
  if (isSearchType(choice.value.type)) return { type: "tool", kind: "function", name: toolName };
  return allowedNames(choice.value, toolName) ?? choice;
}

/** A list of allowed tools that has the search beside functions; null if this is none. */
function allowedNames({ type, mode, tools }: JsonObject, toolName: string): ToolChoice | null {
  if (type !== "allowed_tools") return null;
  const listed = listOrEmpty(tools).filter(isObject);
  const names = listed.flatMap((tool) => {
    if (isSearchType(tool.type)) return [toolName];
    const isOwn = (tool.type === "function" || tool.type === "custom") && tool.namespace === undefined;
    return isOwn && typeof tool.name === "string" ? [tool.name] : [];
  });
  // Another tool of the vendor's is none that other providers have.
  if (names.length < listed.length) return null;
  return { type: "allowed", mode: mode === "required" ? "required" : "auto", names };
}

function isSearchType(type: unknown): boolean {
  return typeof type === "string" && type.startsWith("web_search");
}

/** Whether an earlier answer in a request has searched. */
export function hasSearched({ messages }: ConversationRequest): boolean {
  return messages.some(({ role, parts }) => role === "assistant" && parts.some(isSearch));
}

/** The request without the searches of earlier answers. Their texts stay, less the citations that only a search explains. */
export function withoutSearches(request: ConversationRequest): ConversationRequest {
  return { ...request, messages: request.messages.flatMap(messageWithoutSearches) };
}

function messageWithoutSearches(message: Message): readonly Message[] {
  if (message.role !== "assistant") return [message];
  const parts = message.parts.filter((part) => !isSearch(part)).map(withoutCitations);
  return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }];
}

function withoutCitations(part: Part): Part {
  if (part.type !== "text" || part.citations === undefined) return part;
  const others = part.citations.filter(({ url }) => url === undefined);
  return { ...part, citations: others.length === 0 ? undefined : others };
}

/** A search of an earlier answer, or its results. */
function isSearch(part: Part): boolean {
  if (part.type !== "native") return false;
  const { type, name } = part.value;
  if (part.vendor === "openai") return type === "web_search_call";
  if (part.vendor !== "anthropic") return false;
  return type === "web_search_tool_result" || (type === "server_tool_use" && name === "web_search");
}
