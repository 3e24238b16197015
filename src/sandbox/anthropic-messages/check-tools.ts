import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { checkCacheControl } from "./check-blocks.ts";
import { checkBindingSchema } from "./check-schema.ts";
import { anything, byType, type Check, fields, flag, list, object, optional, text } from "./check-value.ts";
import { invalidRequest } from "./errors.ts";

const toolName: Check = (value, path) => {
  if (/^[a-zA-Z0-9_-]{1,128}$/.test(text(value, path))) return;
  throw invalidRequest(path, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'");
};

const inputSchema: Check = (value, path) => {
  if (object(value, path)["type"] !== "object") throw invalidRequest(`${path}.type`, "Input should be 'object'");
};

const checkCustomTool = fields({
  type: anything,
  name: toolName,
  description: optional(text),
  input_schema: inputSchema,
  strict: optional(flag),
  cache_control: checkCacheControl,
  allowed_callers: anything,
  defer_loading: optional(flag),
  eager_input_streaming: optional(flag),
  input_examples: anything,
});

/** Tools that run at Anthropic, whose settings are not checked. */
const hostedTool = /^(web_search|web_fetch|code_execution|bash|text_editor|computer|memory|tool_search_\w+)_\d{8}$/;

const choice = {
  auto: fields({ type: anything, disable_parallel_tool_use: optional(flag) }),
  any: fields({ type: anything, disable_parallel_tool_use: optional(flag) }),
  tool: fields({ type: anything, name: text, disable_parallel_tool_use: optional(flag) }),
  none: fields({ type: anything }),
};

/** Checks `tools` and `tool_choice` together, like Anthropic. */
export function checkTools(body: JsonObject): void {
  const tools = listOrEmpty(body["tools"]).map(objectOrEmpty);
  optional(list)(body["tools"], "tools");
  tools.forEach((tool, index) => {
    const { type = "custom" } = tool;
    const path = `tools.${index}`;
    if (typeof type === "string" && hostedTool.test(type)) return;
    if (type !== "custom") throw invalidRequest(path, `Input tag '${String(type).slice(0, 100)}' is not a known tool`);
    checkCustomTool(tool, `${path}.custom`);
    if (tool["strict"] === true) checkBindingSchema(tool["input_schema"], `${path}.custom.input_schema`);
  });
  const names = tools.map((tool) => tool["name"]);
  if (new Set(names).size < names.length) throw invalidRequest("tools", "Tool names must be unique.");
  if (body["tool_choice"] !== undefined) checkChoice(body, names);
}

function checkChoice(body: JsonObject, names: readonly unknown[]): void {
  byType(choice)(body["tool_choice"], "tool_choice");
  const { type, name } = objectOrEmpty(body["tool_choice"]);
  if (names.length === 0 && type !== "none") {
    throw invalidRequest("tool_choice", "tool_choice may only be specified while providing tools.");
  }
  if (type === "tool" && !names.includes(name)) {
    throw invalidRequest("tool_choice", `Tool '${String(name).slice(0, 100)}' not found in provided tools`);
  }
  const thinking = objectOrEmpty(body["thinking"])["type"] ?? "disabled";
  if (thinking !== "disabled" && (type === "any" || type === "tool")) {
    throw invalidRequest("tool_choice", "Thinking may not be enabled when tool_choice forces tool use.");
  }
}
