import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import type { AnswerFormat, Prompt, PromptMessage, PromptTool, ToolChoice } from "../prompt.ts";
import { readAttachments } from "./read-attachments.ts";

const roles: Readonly<Record<string, PromptMessage["role"]>> = {
  developer: "system",
  system: "system",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

/** Converts a checked chat request to a prompt. */
export function readPrompt(body: JsonObject): Prompt {
  const choice = readToolChoice(body["tool_choice"]);
  return {
    model: String(body["model"]),
    messages: listOrEmpty(body["messages"]).map(readMessage),
    tools: listOrEmpty(body["tools"]).flatMap(readTool).filter(allowedBy(body["tool_choice"])),
    toolChoice: choice,
    parallelTools: body["parallel_tool_calls"] !== false,
    format: readFormat(objectOrEmpty(body["response_format"])),
    maxTokens: integerOrNull(body["max_completion_tokens"]) ?? integerOrNull(body["max_tokens"]),
    stop: (typeof body["stop"] === "string" ? [body["stop"]] : listOrEmpty(body["stop"])).map(String).filter(Boolean),
    choices: integerOrNull(body["n"]) ?? 1,
    cacheKey: typeof body["prompt_cache_key"] === "string" ? body["prompt_cache_key"] : null,
    reasoning: body["reasoning_effort"] !== "none",
  };
}

function readMessage(value: unknown, index: number): PromptMessage {
  const message = objectOrEmpty(value);
  return {
    role: roles[String(message["role"])] ?? "user",
    text: readText(message["content"]),
    attachments: readAttachments(message["content"], `messages[${index}].content`),
    toolCalls: listOrEmpty(message["tool_calls"]).map((call) => {
      const { name, arguments: written } = objectOrEmpty(objectOrEmpty(call)["function"]);
      return { id: String(objectOrEmpty(call)["id"]), name: String(name), arguments: String(written) };
    }),
    toolCallId: typeof message["tool_call_id"] === "string" ? message["tool_call_id"] : null,
  };
}

function readText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = listOrEmpty(content).map((part) => objectOrEmpty(part)["text"]);
  return texts.filter((text) => typeof text === "string").join("\n");
}

function readTool(value: unknown): PromptTool[] {
  const tool = objectOrEmpty(value);
  if (tool["type"] !== "function") return [];
  const details = objectOrEmpty(tool["function"]);
  return [{ name: String(details["name"]), schema: objectOrEmpty(details["parameters"]) }];
}

function readToolChoice(value: unknown): ToolChoice {
  if (value === "none" || value === "required") return { mode: value };
  const choice = objectOrEmpty(value);
  if (choice["type"] === "function") {
    return { mode: "named", name: String(objectOrEmpty(choice["function"])["name"]) };
  }
  if (choice["type"] === "allowed_tools" && objectOrEmpty(choice["allowed_tools"])["mode"] === "required") {
    return { mode: "required" };
  }
  return { mode: "auto" };
}

/** The tools, restricted by `allowed_tools`. */
function allowedBy(value: unknown): (tool: PromptTool) => boolean {
  const allowed = objectOrEmpty(value)["allowed_tools"];
  if (!isObject(allowed)) return () => true;
  const names = listOrEmpty(allowed["tools"]).map((tool) => objectOrEmpty(objectOrEmpty(tool)["function"])["name"]);
  return (tool) => names.includes(tool.name);
}

function readFormat(format: JsonObject): AnswerFormat {
  if (format["type"] === "json_object") return { kind: "json" };
  if (format["type"] !== "json_schema") return { kind: "text" };
  return { kind: "schema", schema: objectOrEmpty(format["json_schema"])["schema"] ?? {} };
}

function integerOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
