import type { ConversationRequest, FunctionTool, ToolChoice } from "../../../conversation/request.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { encodeSchema } from "./encode-schema.ts";

/** Writes `tools`: all functions in one entry, then the tools that Google runs. Undefined if there are none. */
export function encodeTools({ tools }: ConversationRequest): JsonObject[] | undefined {
  const functions = functionsOf(tools);
  const entries: JsonObject[] = functions.length === 0 ? [] : [{ functionDeclarations: functions.map(encodeFunction) }];
  for (const tool of tools ?? []) if (tool.type === "native" && tool.vendor === "google") entries.push(tool.value);
  return entries.length === 0 ? undefined : entries;
}

function functionsOf(tools: ConversationRequest["tools"]): FunctionTool[] {
  return (tools ?? []).filter((tool): tool is FunctionTool => tool.type === "function");
}

function encodeFunction({ name, description, parameters }: FunctionTool): JsonObject {
  return {
    name,
    description,
    parametersJsonSchema: parameters === undefined ? undefined : encodeSchema(parameters),
  };
}

/** Writes `toolConfig`; undefined if it would be empty. */
export function encodeToolConfig(request: ConversationRequest): JsonObject | undefined {
  const functions = functionsOf(request.tools);
  const options = request.vendorFields?.["google.toolOptions"];
  const { functionCallingConfig, ...others } = isObject(options) ? options : {};
  const choice = functions.length === 0 ? {} : encodeChoice(request.toolChoice);
  // The model is held to the schemas only in a mode of that name, or if it must call.
  const strict = functions.some((tool) => tool.strict === true) && (choice.mode ?? "AUTO") === "AUTO";
  const calling = {
    ...choice,
    ...(strict ? { mode: "VALIDATED" } : {}),
    ...(isObject(functionCallingConfig) ? functionCallingConfig : {}),
  };
  const config = Object.keys(calling).length === 0 ? others : { ...others, functionCallingConfig: calling };
  return Object.keys(config).length === 0 ? undefined : config;
}

function encodeChoice(choice: ToolChoice | undefined): { mode?: string; allowedFunctionNames?: readonly string[] } {
  switch (choice?.type) {
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
    case "allowed":
      // AUTO takes no list of names.
      return { mode: choice.mode === "required" ? "ANY" : "VALIDATED", allowedFunctionNames: choice.names };
    default:
      return {};
  }
}
