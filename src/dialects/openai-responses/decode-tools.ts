import type { CustomTool, FunctionTool, Tool, ToolChoice } from "../../conversation/request.ts";
import { invalidParameter } from "../../errors.ts";
import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";
import {
  optionalBoolean,
  optionalList,
  optionalObject,
  optionalString,
  optionalWord,
  requiredList,
  requiredObject,
  requiredString,
} from "../read-field.ts";
import { noteUnknown, type Unknown } from "../unknown-fields.ts";

/** Reads `tools`. */
export function decodeTools(value: unknown, unknown: Unknown): Tool[] | undefined {
  return optionalList(value, "tools")?.map((tool, index) => decodeTool(tool, `tools[${index}]`, unknown));
}

const functionFields = "type name description parameters strict";
const customFields = "type name description format";

function decodeTool(value: unknown, path: string, unknown: Unknown): Tool {
  const tool = requiredObject(value, path);
  if (tool.type === "function") return decodeFunction(tool, path, unknown);
  if (tool.type === "custom") return decodeCustom(tool, path, unknown);
  if (typeof tool.type !== "string") throw invalidParameter(`${path}.type`, "a string");
  return { type: "native", vendor: "openai", value: tool, path };
}

function decodeFunction(tool: JsonObject, path: string, unknown: Unknown): FunctionTool {
  noteUnknown(tool, functionFields, path, unknown);
  return {
    type: "function",
    name: requiredString(tool.name, `${path}.name`),
    description: optionalString(tool.description, `${path}.description`),
    parameters: optionalObject(tool.parameters, `${path}.parameters`),
    strict: optionalBoolean(tool.strict, `${path}.strict`),
    path,
  };
}

function decodeCustom(tool: JsonObject, path: string, unknown: Unknown): CustomTool {
  noteUnknown(tool, customFields, path, unknown);
  const format = optionalObject(tool.format, `${path}.format`);
  return {
    type: "custom",
    name: requiredString(tool.name, `${path}.name`),
    description: optionalString(tool.description, `${path}.description`),
    format: format === undefined ? undefined : decodeFormat(format, `${path}.format`),
    path,
  };
}

function decodeFormat(format: JsonObject, path: string): NonNullable<CustomTool["format"]> {
  if (format.type === "text") return { type: "text" };
  if (format.type !== "grammar") throw invalidParameter(`${path}.type`, "one of text, grammar");
  const syntax = optionalWord(format.syntax, `${path}.syntax`, ["lark", "regex"]);
  if (syntax === undefined) throw invalidParameter(`${path}.syntax`, "one of lark, regex");
  return { type: "grammar", syntax, definition: requiredString(format.definition, `${path}.definition`) };
}

/** Reads `tool_choice`. */
export function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (!isObject(choice)) throw invalidParameter("tool_choice", "auto, none, required or an object naming a tool");
  switch (choice.type) {
    case "function":
    case "custom":
      return { type: "tool", kind: choice.type, name: requiredString(choice.name, "tool_choice.name") };
    case "allowed_tools":
      return decodeAllowed(choice);
    default:
      if (typeof choice.type !== "string") throw invalidParameter("tool_choice.type", "a string");
      return { type: "native", vendor: "openai", value: choice };
  }
}

/** A list that holds a hosted tool is OpenAI's alone. */
function decodeAllowed(choice: JsonObject): ToolChoice {
  const tools = requiredList(choice.tools, "tool_choice.tools").map((tool, index) =>
    requiredObject(tool, `tool_choice.tools[${index}]`),
  );
  const mode = optionalWord(choice.mode, "tool_choice.mode", ["auto", "required"]) ?? "auto";
  const allowed = tools.flatMap((tool) => {
    const name = tool.type === "function" || tool.type === "custom" ? stringOrNull(tool.name) : null;
    return name === null ? [] : [name];
  });
  if (allowed.length !== tools.length) return { type: "native", vendor: "openai", value: choice };
  return { type: "allowed", mode, names: allowed };
}
