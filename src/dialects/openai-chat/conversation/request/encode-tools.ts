import type { ConversationRequest, FunctionTool, Tool, ToolChoice } from "../../../../conversation/request.ts";
import type { JsonObject } from "../../../../json/values.ts";

/** Writes `tools`; undefined if there are none. */
export function encodeTools(tools: readonly Tool[] | undefined): JsonObject[] | undefined {
  if (tools === undefined || tools.length === 0) return undefined;
  return tools.flatMap((tool) => {
    if (tool.type === "native") return [];
    return tool.type === "function" ? [encodeFunction(tool)] : [{ type: "custom", custom: encodeCustom(tool) }];
  });
}

function encodeFunction({ name, description, parameters, strict }: FunctionTool): JsonObject {
  return { type: "function", function: { name, description, parameters, strict } };
}

function encodeCustom({ name, description, format }: Extract<Tool, { type: "custom" }>): JsonObject {
  if (format?.type !== "grammar") return { name, description, format };
  const { syntax, definition } = format;
  return { name, description, format: { type: "grammar", grammar: { syntax, definition } } };
}

/** Writes `tool_choice`, which is an error without tools. */
export function encodeToolChoice({ tools, toolChoice }: ConversationRequest): unknown {
  if (toolChoice === undefined || tools === undefined || tools.length === 0) return undefined;
  switch (toolChoice.type) {
    case "tool":
      return { type: toolChoice.kind, [toolChoice.kind]: { name: toolChoice.name } };
    case "allowed":
      return { type: "allowed_tools", allowed_tools: encodeAllowed(toolChoice, tools) };
    case "native":
      return undefined;
    default:
      return toolChoice.type;
  }
}

function encodeAllowed(choice: Extract<ToolChoice, { type: "allowed" }>, tools: readonly Tool[]): JsonObject {
  const customNames = new Set(tools.flatMap((tool) => (tool.type === "custom" ? [tool.name] : [])));
  return {
    mode: choice.mode,
    tools: choice.names.map((name) => {
      const kind = customNames.has(name) ? "custom" : "function";
      return { type: kind, [kind]: { name } };
    }),
  };
}
