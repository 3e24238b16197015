import type { ConversationRequest, CustomTool, FunctionTool, Tool, ToolChoice } from "../../../conversation/request.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";

/** Writes `tools`; undefined if there are none. */
export function encodeTools({ tools, vendorFields }: ConversationRequest): JsonObject[] | undefined {
  const encoded = (tools ?? []).flatMap(encodeTool);
  const search = vendorFields?.["openai.web_search_options"];
  if (isObject(search)) encoded.push(encodeWebSearch(search));
  return encoded.length === 0 ? undefined : encoded;
}

function encodeTool(tool: Tool): JsonObject[] {
  if (tool.type === "native") return tool.vendor === "openai" ? [tool.value] : [];
  return [tool.type === "function" ? encodeFunction(tool) : encodeCustom(tool)];
}

/** Here a function without `strict` would be strict, everywhere else it is not. */
function encodeFunction({ name, description, parameters, strict }: FunctionTool): JsonObject {
  const schema = parameters ?? { type: "object", properties: {} };
  return { type: "function", name, description, parameters: schema, strict: strict ?? false };
}

function encodeCustom({ name, description, format }: CustomTool): JsonObject {
  return { type: "custom", name, description, format };
}

/** Chat completions have search as a setting, here it is a tool. */
function encodeWebSearch({ search_context_size: size, user_location: location }: JsonObject): JsonObject {
  const approximate = isObject(location) && isObject(location.approximate) ? location.approximate : null;
  return {
    type: "web_search",
    search_context_size: size,
    user_location: approximate === null ? undefined : { type: "approximate", ...approximate },
  };
}

/** Writes `tool_choice`, which is an error without tools. */
export function encodeToolChoice({ tools, toolChoice }: ConversationRequest): unknown {
  if (toolChoice === undefined || tools === undefined || tools.length === 0) return undefined;
  switch (toolChoice.type) {
    case "tool":
      return { type: toolChoice.kind, name: toolChoice.name };
    case "allowed":
      return encodeAllowed(toolChoice, tools);
    case "native":
      return toolChoice.vendor === "openai" ? toolChoice.value : undefined;
    default:
      return toolChoice.type;
  }
}

function encodeAllowed({ mode, names }: Extract<ToolChoice, { type: "allowed" }>, tools: readonly Tool[]): JsonObject {
  const customNames = new Set(tools.flatMap((tool) => (tool.type === "custom" ? [tool.name] : [])));
  const allowed = names.map((name) => ({ type: customNames.has(name) ? "custom" : "function", name }));
  return { type: "allowed_tools", mode, tools: allowed };
}
