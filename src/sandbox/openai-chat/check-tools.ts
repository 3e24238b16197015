import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { invalidValue, list, missing, object, oneOf, optional, text } from "./check-value.ts";

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const maxTools = 128;

/** Checks `tools` and `tool_choice` together, like OpenAI. */
export function checkTools(body: JsonObject): void {
  optional(list)(body["tools"], "tools");
  const tools = listOrEmpty(body["tools"]);
  if (Array.isArray(body["tools"]) && tools.length === 0) {
    throw invalidValue(
      "tools",
      "Invalid 'tools': empty array. Expected an array with minimum length 1.",
      "empty_array",
    );
  }
  if (tools.length > maxTools) {
    const message = `Invalid 'tools': array too long. Expected an array with maximum length ${maxTools}.`;
    throw invalidValue("tools", message, "array_above_max_length");
  }
  tools.forEach((tool, index) => checkTool(tool, `tools[${index}]`));
  if (body["tool_choice"] !== undefined && body["tool_choice"] !== null) checkChoice(body["tool_choice"], tools);
}

function checkTool(value: unknown, path: string): void {
  object(value, path);
  const tool = objectOrEmpty(value);
  if (tool["type"] === undefined) throw missing(`${path}.type`);
  const kind = oneOf("function", "custom")(tool["type"], `${path}.type`);
  if (tool[kind] === undefined) throw missing(`${path}.${kind}`);
  object(tool[kind], `${path}.${kind}`);
  const details = objectOrEmpty(tool[kind]);
  if (details["name"] === undefined) throw missing(`${path}.${kind}.name`);
  if (!toolName.test(text(details["name"], `${path}.${kind}.name`))) {
    throw invalidValue(
      `${path}.${kind}.name`,
      `Invalid '${path}.${kind}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    );
  }
  if (kind === "function") checkParameters(details, `${path}.function`);
}

function checkParameters(details: JsonObject, path: string): void {
  optional(object)(details["parameters"], `${path}.parameters`);
  const type = objectOrEmpty(details["parameters"])["type"];
  if (type === undefined || type === "object") return;
  throw invalidValue(
    `${path}.parameters`,
    `Invalid schema for function '${String(details["name"])}': schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(type)}'.`,
    "invalid_function_parameters",
  );
}

function checkChoice(value: unknown, tools: readonly unknown[]): void {
  if (tools.length === 0 && value !== "none" && value !== "auto") {
    throw invalidValue(
      "tool_choice",
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    );
  }
  if (typeof value === "string") {
    oneOf("none", "auto", "required")(value, "tool_choice");
    return;
  }
  object(value, "tool_choice");
  const choice = objectOrEmpty(value);
  oneOf("function", "custom", "allowed_tools")(choice["type"], "tool_choice.type");
  if (choice["type"] !== "function") return;
  const name = text(objectOrEmpty(choice["function"])["name"], "tool_choice.function.name");
  if (tools.some((tool) => objectOrEmpty(objectOrEmpty(tool)["function"])["name"] === name)) return;
  throw invalidValue("tool_choice", `Tool choice '${name.slice(0, 100)}' not found in 'tools' parameter.`);
}
