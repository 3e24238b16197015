import type { NativeTool, ConversationRequest, ToolChoice } from "../request.ts";
import type { SupportColumn } from "./support.ts";

/** The treatment of tools that a vendor runs, if a model's provider has none: left out, or refused with 400. */
export type HostedToolsPolicy = "omit" | "refuse";

export interface HostedToolsReview {
  /** The request without the tools that were left out. */
  readonly request: ConversationRequest;
  /** The paths of the tools that were left out, as the caller wrote them. */
  readonly omitted: readonly string[];
  /** The first tool that cannot be left out. */
  readonly refusal: { readonly path: string; readonly why: string } | null;
}

/**
 * Leaves out the tools of a vendor's own that the provider cannot run. An agent that offers a web search beside its own
 * functions works without it; a request that has nothing else, or asks for that tool, does not.
 */
export function omitHostedTools(
  request: ConversationRequest,
  column: SupportColumn,
  policy: HostedToolsPolicy,
): HostedToolsReview {
  const foreign = (request.tools ?? []).filter(
    (tool): tool is NativeTool => tool.type === "native" && column[`tool.${tool.vendor}`].status === "refused",
  );
  const [first] = foreign;
  if (first === undefined) return { request, omitted: [], refusal: null };
  const others = (request.tools ?? []).filter((tool) => !foreign.some((left) => left === tool));
  const bound = foreign.find((tool) => !isHosted(tool) || isAskedFor(tool, request.toolChoice));
  const mayOmit = policy === "omit" && bound === undefined && others.some((tool) => tool.type !== "native");
  if (!mayOmit) return { request, omitted: [], refusal: refusalOf(bound ?? first) };
  return { request: { ...request, tools: others }, omitted: foreign.map(pathOf), refusal: null };
}

/** Tools that the vendor runs by itself. Tools that it defines and the caller runs are part of what the caller does. */
const hosted: Readonly<Record<NativeTool["vendor"], RegExp>> = {
  openai: /^(web_search|file_search|code_interpreter|image_generation|mcp|tool_search|programmatic_tool_calling)/,
  anthropic: /^(web_search|web_fetch|code_execution|tool_search_tool|mcp_toolset|advisor)/,
  google: /^(google|code_?execution|url_?context|file_?search|enterprise_?web_?search|retrieval|mcp)/i,
};

function isHosted(tool: NativeTool): boolean {
  return kindsOf(tool).every((kind) => hosted[tool.vendor].test(kind));
}

/** The name of the tool: its type, or at Google the names of its members. */
function kindsOf({ vendor, value }: NativeTool): readonly string[] {
  return vendor === "google" ? Object.keys(value) : [typeof value.type === "string" ? value.type : ""];
}

/** Whether the choice names this tool, by its type or its name, alone or among others. */
function isAskedFor(tool: NativeTool, choice: ToolChoice | undefined): boolean {
  if (choice?.type === "tool") return choice.name === tool.value.name;
  if (choice?.type !== "native") return false;
  const named = JSON.stringify(choice.value);
  return kindsOf(tool).some((kind) => named.includes(JSON.stringify(kind)));
}

function refusalOf(tool: NativeTool): { readonly path: string; readonly why: string } {
  const name = kindsOf(tool).join(", ");
  const why = `The provider of this model cannot run the tool '${name}': leave it out, or ask a model whose provider can.`;
  return { path: pathOf(tool), why };
}

function pathOf(tool: NativeTool): string {
  return tool.path ?? "tools";
}
