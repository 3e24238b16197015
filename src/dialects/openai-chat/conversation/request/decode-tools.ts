import type { CustomTool, FunctionTool, Tool, ToolChoice } from "../../../../conversation/request.ts";
import { invalidParameter } from "../../../../errors.ts";
import { isObject, type JsonObject } from "../../../../json/values.ts";
import {
  optionalBoolean,
  optionalList,
  optionalObject,
  optionalString,
  optionalWord,
  requiredList,
  requiredObject,
  requiredString,
} from "../../../fields/read-field.ts";
import { noteUnknown, type Unknown } from "../../../fields/unknown-fields.ts";

/** Reads `tools`, or the deprecated `functions`. */
export function decodeTools(body: JsonObject, unknown: Unknown): Tool[] | undefined {
  const tools = optionalList(body.tools, "tools");
  if (tools !== undefined) return tools.map((tool, index) => decodeTool(tool, `tools[${index}]`, unknown));
  const functions = optionalList(body.functions, "functions");
  return functions?.map((value, index) => {
    const path = `functions[${index}]`;
    return decodeFunction(requiredObject(value, path), path, path, unknown);
  });
}

function decodeTool(value: unknown, path: string, unknown: Unknown): Tool {
  const tool = requiredObject(value, path);
  if (tool.type === "function") {
    return decodeFunction(requiredObject(tool.function, `${path}.function`), `${path}.function`, path, unknown);
  }
  if (tool.type === "custom") return decodeCustom(requiredObject(tool.custom, `${path}.custom`), path);
  if (typeof tool.type !== "string") throw invalidParameter(`${path}.type`, "a string");
  return { type: "native", vendor: "openai", value: tool, path };
}

function decodeFunction(value: JsonObject, fieldPath: string, path: string, unknown: Unknown): FunctionTool {
  noteUnknown(value, "name description parameters strict", fieldPath, unknown);
  return {
    type: "function",
    name: requiredString(value.name, `${fieldPath}.name`),
    description: optionalString(value.description, `${fieldPath}.description`),
    parameters: optionalObject(value.parameters, `${fieldPath}.parameters`),
    strict: optionalBoolean(value.strict, `${fieldPath}.strict`),
    path,
  };
}

function decodeCustom(value: JsonObject, path: string): CustomTool {
  const format = optionalObject(value.format, `${path}.custom.format`);
  return {
    type: "custom",
    name: requiredString(value.name, `${path}.custom.name`),
    description: optionalString(value.description, `${path}.custom.description`),
    format: format === undefined ? undefined : decodeFormat(format, `${path}.custom.format`),
    path,
  };
}

function decodeFormat(format: JsonObject, path: string): NonNullable<CustomTool["format"]> {
  if (format.type === "text") return { type: "text" };
  const grammar = requiredObject(format.grammar, `${path}.grammar`);
  const syntax = optionalWord(grammar.syntax, `${path}.grammar.syntax`, ["lark", "regex"]);
  if (syntax === undefined) throw invalidParameter(`${path}.grammar.syntax`, "one of lark, regex");
  return { type: "grammar", syntax, definition: requiredString(grammar.definition, `${path}.grammar.definition`) };
}

/** Reads `tool_choice`, or the deprecated `function_call`. */
export function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const { tool_choice: choice, function_call: legacy } = body;
  if (choice === undefined || choice === null) {
    if (isObject(legacy)) return chosen("function", legacy, "function_call");
    return legacy === undefined || legacy === null ? undefined : chosenWord(legacy, "function_call");
  }
  if (!isObject(choice)) return chosenWord(choice, "tool_choice");
  switch (choice.type) {
    case "function":
    case "custom":
      return chosen(choice.type, requiredObject(choice[choice.type], `tool_choice.${choice.type}`), "tool_choice");
    case "allowed_tools":
      return decodeAllowed(requiredObject(choice.allowed_tools, "tool_choice.allowed_tools"));
    default:
      if (typeof choice.type !== "string") throw invalidParameter("tool_choice.type", "a string");
      return { type: "native", vendor: "openai", value: choice };
  }
}

function chosenWord(choice: unknown, path: string): ToolChoice {
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  throw invalidParameter(path, "auto, none, required or an object naming a tool");
}

function chosen(kind: "function" | "custom", named: JsonObject, path: string): ToolChoice {
  return { type: "tool", kind, name: requiredString(named.name, `${path}.name`) };
}

function decodeAllowed(allowed: JsonObject): ToolChoice {
  const path = "tool_choice.allowed_tools";
  const names = requiredList(allowed.tools, `${path}.tools`).map((value, index) => {
    const at = `${path}.tools[${index}]`;
    const tool = requiredObject(value, at);
    const kind = tool.type === "custom" ? "custom" : "function";
    return requiredString(requiredObject(tool[kind], `${at}.${kind}`).name, `${at}.${kind}.name`);
  });
  return { type: "allowed", mode: optionalWord(allowed.mode, `${path}.mode`, ["auto", "required"]) ?? "auto", names };
}
