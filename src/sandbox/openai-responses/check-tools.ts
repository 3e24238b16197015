import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { invalidValue, list, missing, object, oneOf, optional, text } from "../openai-chat/check-value.ts";
import { checkStrictSchema } from "./check-schema.ts";

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

const toolTypes =
  "function custom web_search web_search_preview file_search code_interpreter image_generation mcp " +
  "computer computer_use_preview local_shell shell apply_patch namespace tool_search";
const toolType = oneOf(...toolTypes.split(" "));

/** Checks `tools` and `tool_choice` together, like OpenAI. */
export function checkTools(body: JsonObject): void {
  optional(list)(body["tools"], "tools");
  const tools = listOrEmpty(body["tools"]).map(objectOrEmpty);
  listOrEmpty(body["tools"]).forEach((tool, index) => checkTool(tool, `tools[${index}]`));
  if (body["tool_choice"] !== undefined && body["tool_choice"] !== null) checkChoice(body["tool_choice"], tools);
}

function checkTool(value: unknown, path: string): void {
  object(value, path);
  const tool = objectOrEmpty(value);
  if (tool["type"] === undefined) throw missing(`${path}.type`);
  const kind = toolType(tool["type"], `${path}.type`);
  if (kind !== "function" && kind !== "custom") return;
  if (tool["name"] === undefined) throw missing(`${path}.name`);
  const name = text(tool["name"], `${path}.name`);
  if (!toolName.test(name)) {
    const pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    throw invalidValue(`${path}.name`, `Invalid '${path}.name': string does not match pattern. ${pattern}`);
  }
  if (kind === "function") checkParameters(tool, name, path);
}

function checkParameters(tool: JsonObject, name: string, path: string): void {
  const code = "invalid_function_parameters";
  optional(object)(tool["parameters"], `${path}.parameters`);
  const schema = objectOrEmpty(tool["parameters"]);
  if (schema["type"] !== undefined && schema["type"] !== "object") {
    const got = JSON.stringify(schema["type"]);
    const message = `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: ${got}'.`;
    throw invalidValue(`${path}.parameters`, message, code);
  }
  if (tool["strict"] === true) checkStrictSchema(schema, `function '${name}'`, `${path}.parameters`, code);
}

function checkChoice(value: unknown, tools: readonly JsonObject[]): void {
  if (typeof value === "string") {
    oneOf("none", "auto", "required")(value, "tool_choice");
    if (value !== "required" || tools.length > 0) return;
    throw invalidValue("tool_choice", "Tool choice 'required' must be specified with 'tools' parameter.");
  }
  object(value, "tool_choice");
  const choice = objectOrEmpty(value);
  if (choice["type"] !== "function" && choice["type"] !== "custom") return;
  const name = text(choice["name"], "tool_choice.name");
  if (tools.some((tool) => tool["name"] === name && tool["type"] === choice["type"])) return;
  throw invalidValue("tool_choice", `Tool choice '${name.slice(0, 100)}' not found in 'tools' parameter.`);
}
