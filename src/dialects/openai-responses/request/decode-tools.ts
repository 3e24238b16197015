import type { CustomTool, FunctionTool, Tool, ToolChoice } from "../../../conversation/request.ts";
import { invalidParameter } from "../../../errors.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";
import {
  optionalBoolean,
  optionalList,
  optionalObject,
  optionalString,
  optionalWord,
  requiredList,
  requiredObject,
  requiredString,
} from "../../fields/read-field.ts";
import { flatName, flatNameOf } from "./namespaces.ts";
import { noteUnknown, type Unknown } from "../../fields/unknown-fields.ts";

/** Reads `tools`. */
export function decodeTools(value: unknown, unknown: Unknown): Tool[] | undefined {
  const tools = optionalList(value, "tools")?.flatMap((tool, index) => decodeTool(tool, `tools[${index}]`, unknown));
  if (tools !== undefined) refuseSameNames(tools);
  return tools;
}

const functionFields = "type name description parameters strict";
const customFields = "type name description format";

function decodeTool(value: unknown, path: string, unknown: Unknown): Tool[] {
  const tool = requiredObject(value, path);
  if (tool.type === "function") return [decodeFunction(tool, path, unknown)];
  if (tool.type === "custom") return [decodeCustom(tool, path, unknown)];
  if (tool.type === "namespace") return decodeNamespace(tool, path, unknown);
  if (typeof tool.type !== "string") throw invalidParameter(`${path}.type`, "a string");
  return [{ type: "native", vendor: "openai", value: tool, path }];
}

/** A group of functions as single functions. The first one has the group's description. */
function decodeNamespace(group: JsonObject, path: string, unknown: Unknown): Tool[] {
  noteUnknown(group, "type name description tools", path, unknown);
  const namespace = requiredString(group.name, `${path}.name`);
  const about = optionalString(group.description, `${path}.description`) ?? "";
  return requiredList(group.tools, `${path}.tools`).map((value, index) => {
    const at = `${path}.tools[${index}]`;
    const inner = requiredObject(value, at);
    if (inner.type !== "function" && inner.type !== "custom") {
      throw invalidParameter(`${at}.type`, "one of function, custom");
    }
    const tool = inner.type === "function" ? decodeFunction(inner, at, unknown) : decodeCustom(inner, at, unknown);
    const description =
      index === 0 && about !== ""
        ? [tool.description, `${namespace}: ${about}`].filter(Boolean).join("\n\n")
        : tool.description;
    return { ...tool, description, name: flatName({ namespace, name: tool.name }) };
  });
}

/** Where a namespace and a name are one name, it may be that of another tool. */
function refuseSameNames(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const tool of tools) {
    if (tool.type === "native") continue;
    const isGrouped = tool.path?.includes("].tools[") === true;
    if (isGrouped && names.has(tool.name)) {
      throw invalidParameter(`${tool.path}.name`, "a name that is no other tool's");
    }
    names.add(tool.name);
  }
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
      return {
        type: "tool",
        kind: choice.type,
        name: flatNameOf(choice, requiredString(choice.name, "tool_choice.name")),
      };
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
    return name === null ? [] : [flatNameOf(tool, name)];
  });
  if (allowed.length !== tools.length) return { type: "native", vendor: "openai", value: choice };
  return { type: "allowed", mode, names: allowed };
}
