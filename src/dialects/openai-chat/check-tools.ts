import { invalidParameter, missingParameter } from "../../errors.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

const choices: ReadonlySet<unknown> = new Set(["auto", "none", "required"]);

/** Checks `tools` and `tool_choice` as far as the gateway must understand them. Throws a 400 that names the field. */
export function checkTools(body: JsonObject): void {
  const { tools, tool_choice: choice } = body;
  if (tools !== undefined && tools !== null) {
    if (!Array.isArray(tools)) throw invalidParameter("tools", "an array");
    for (let index = 0; index < tools.length; index++) checkTool(tools[index], `tools[${index}]`);
  }
  if (choice === undefined || choice === null || choices.has(choice)) return;
  if (!isObject(choice)) throw invalidParameter("tool_choice", "auto, none, required or an object naming a tool");
  if (typeof choice.type !== "string") throw invalidParameter("tool_choice.type", "a string");
  if (choice.type === "function" && !(isObject(choice.function) && typeof choice.function.name === "string")) {
    throw invalidParameter("tool_choice.function.name", "a string");
  }
}

function checkTool(tool: unknown, path: string): void {
  if (!isObject(tool)) throw invalidParameter(path, "an object");
  if (typeof tool.type !== "string") throw invalidParameter(`${path}.type`, "a string");
  if (tool.type !== "function") return;
  if (!isObject(tool.function)) throw missingParameter(`${path}.function`);
  const { name, parameters } = tool.function;
  if (typeof name !== "string" || name === "") {
    throw invalidParameter(`${path}.function.name`, "a string that is not empty");
  }
  if (parameters !== undefined && parameters !== null && !isObject(parameters)) {
    throw invalidParameter(`${path}.function.parameters`, "a JSON Schema object");
  }
}
