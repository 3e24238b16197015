import type { FunctionTool, Tool, ToolChoice } from "../../../conversation/request.ts";
import { invalidParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import {
  optionalList,
  optionalObject,
  optionalString,
  requiredObject,
  requiredString,
} from "../../fields/read-field.ts";
import { readField, type RequestNotes } from "./decode-part.ts";
import { decodeSchema } from "./decode-schema.ts";
import { itemsOf, openFields, writtenName, type Field } from "../fields.ts";

/** Reads `tools`: functions one by one, every tool that Google runs as it is. */
export function decodeTools(field: Field, notes: RequestNotes): Tool[] | undefined {
  return optionalList(itemsOf(field.value), field.path)?.flatMap((item, index) => {
    const path = `${field.path}[${index}]`;
    const tool = requiredObject(item, path);
    const name = writtenName(tool, "functionDeclarations");
    const { [name]: declarations, ...native } = tool;
    const functions = optionalList(itemsOf(declarations), `${path}.${name}`) ?? [];
    const tools: Tool[] = functions.map((value, position) =>
      decodeFunction(value, `${path}.${name}[${position}]`, notes),
    );
    if (Object.keys(native).length > 0) tools.push({ type: "native", vendor: "google", value: native, path });
    return tools;
  });
}

function decodeFunction(value: unknown, path: string, notes: RequestNotes): FunctionTool {
  const fields = openFields(requiredObject(value, path), path);
  const tool: FunctionTool = {
    type: "function",
    name: readField(fields.get("name"), requiredString),
    description: readField(fields.get("description"), optionalString),
    parameters: decodeParameters(fields.get("parameters"), fields.get("parametersJsonSchema")),
    path,
  };
  notes.unknown.push(...fields.unread());
  return tool;
}

function decodeParameters(subset: Field, full: Field): JsonObject | undefined {
  const schema = readField(full, optionalObject);
  if (schema !== undefined) return schema;
  const older = readField(subset, optionalObject);
  return older === undefined ? undefined : decodeSchema(older);
}

/** Reads `toolConfig`: the choice, and the fields that only Google has. */
export interface DecodedToolConfig {
  readonly choice: ToolChoice | undefined;
  readonly options: JsonObject | undefined;
}

export function decodeToolConfig(field: Field): DecodedToolConfig {
  const config = readField(field, optionalObject);
  if (config === undefined) return { choice: undefined, options: undefined };
  const name = writtenName(config, "functionCallingConfig");
  const { [name]: calling, ...options } = config;
  const path = `${field.path}.${name}`;
  const fields = openFields(optionalObject(calling, path) ?? {}, path);
  const mode = fields.get("mode");
  const word = readField(mode, optionalString)?.toUpperCase();
  const names = decodeNames(fields.get("allowedFunctionNames"));
  const streamed = fields.get("streamFunctionCallArguments").value;

  const callingOptions: Record<string, unknown> = {};
  // That calls keep to the schema is a promise of the tools elsewhere; here it is a mode.
  if (word === "VALIDATED" && names.length === 0) callingOptions.mode = word;
  if (streamed === true) callingOptions.streamFunctionCallArguments = true;
  const all =
    Object.keys(callingOptions).length === 0 ? options : { ...options, functionCallingConfig: callingOptions };
  return {
    choice: choiceOf(word, names, mode.path),
    options: Object.keys(all).length === 0 ? undefined : all,
  };
}

function decodeNames({ value, path }: Field): readonly string[] {
  return (optionalList(value, path) ?? []).map((name, index) => requiredString(name, `${path}[${index}]`));
}

function choiceOf(mode: string | undefined, names: readonly string[], path: string): ToolChoice | undefined {
  const [only, ...others] = names;
  switch (mode) {
    case undefined:
    case "MODE_UNSPECIFIED":
      return only === undefined ? undefined : { type: "allowed", mode: "auto", names };
    case "AUTO":
    case "VALIDATED":
      return only === undefined ? { type: "auto" } : { type: "allowed", mode: "auto", names };
    case "NONE":
      return { type: "none" };
    case "ANY":
      if (only === undefined) return { type: "required" };
      return others.length === 0
        ? { type: "tool", kind: "function", name: only }
        : { type: "allowed", mode: "required", names };
    default:
      throw invalidParameter(path, "one of AUTO, ANY, NONE, VALIDATED");
  }
}
