import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { readImage, sizeOf } from "../openai-chat/read-attachments.ts";
import type { AnswerFormat, Attachment, Prompt, PromptMessage, PromptTool, ToolChoice } from "../prompt.ts";

/** Converts a checked request and its items to a prompt. */
export function readPrompt(body: JsonObject, items: readonly JsonObject[]): Prompt {
  const instructions = typeof body["instructions"] === "string" ? [said("system", body["instructions"])] : [];
  return {
    model: String(body["model"]),
    messages: [...instructions, ...joinTurns(items.flatMap(readItem))],
    tools: listOrEmpty(body["tools"]).flatMap(readTool).filter(allowedBy(body["tool_choice"])),
    toolChoice: readToolChoice(body["tool_choice"]),
    parallelTools: body["parallel_tool_calls"] !== false,
    format: readFormat(objectOrEmpty(objectOrEmpty(body["text"])["format"])),
    maxTokens: typeof body["max_output_tokens"] === "number" ? body["max_output_tokens"] : null,
    stop: [],
    choices: 1,
    cacheKey: typeof body["prompt_cache_key"] === "string" ? body["prompt_cache_key"] : null,
    reasoning: objectOrEmpty(body["reasoning"])["effort"] !== "none",
  };
}

function said(role: PromptMessage["role"], text: string, attachments: readonly Attachment[] = []): PromptMessage {
  return { role, text, attachments, toolCalls: [], toolCallId: null };
}

const roles: Readonly<Record<string, PromptMessage["role"]>> = {
  assistant: "assistant",
  developer: "system",
  system: "system",
};

function readItem(item: JsonObject, index: number): PromptMessage[] {
  const path = `input[${index}]`;
  switch (item["type"] ?? "message") {
    case "message": {
      const role = roles[String(item["role"])] ?? "user";
      return [said(role, readText(item["content"]), readAttachments(item["content"], `${path}.content`))];
    }
    case "function_call":
    case "custom_tool_call": {
      const written = String(item["arguments"] ?? item["input"]);
      const call = { id: String(item["call_id"]), name: String(item["name"]), arguments: written };
      return [{ ...said("assistant", ""), toolCalls: [call] }];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const { output } = item;
      const attachments = readAttachments(output, `${path}.output`);
      return [{ ...said("tool", readText(output), attachments), toolCallId: String(item["call_id"]) }];
    }
    default:
      return [];
  }
}

/** Joins the texts and calls of one turn of the model to one message. */
function joinTurns(messages: readonly PromptMessage[]): PromptMessage[] {
  const joined: PromptMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === "assistant" && message.role === "assistant") {
      const text = [last.text, message.text].filter((one) => one !== "").join("\n");
      joined[joined.length - 1] = { ...last, text, toolCalls: [...last.toolCalls, ...message.toolCalls] };
    } else joined.push(message);
  }
  return joined;
}

function readText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = listOrEmpty(content).map((part) => objectOrEmpty(part)["text"]);
  return texts.filter((text) => typeof text === "string").join("\n");
}

function readAttachments(content: unknown, path: string): readonly Attachment[] {
  return listOrEmpty(content).flatMap((value, index): Attachment[] => {
    const part = objectOrEmpty(value);
    if (part["type"] === "input_file") return [readFile(part, `${path}[${index}]`)];
    if (part["type"] !== "input_image") return [];
    if (typeof part["image_url"] === "string") return [readImage(part["image_url"], `${path}[${index}].image_url`)];
    return [{ kind: "image", description: String(part["file_id"]).slice(0, 200) }];
  });
}

function readFile(part: JsonObject, path: string): Attachment {
  const data = typeof part["file_data"] === "string" ? part["file_data"].replace(/^[^,]*,/, "") : null;
  if (data !== null) sizeOf(data, `${path}.file_data`);
  const known = [part["filename"], part["file_url"], part["file_id"]].find((one) => typeof one === "string");
  return { kind: "file", description: (known ?? "unnamed").slice(0, 200) };
}

const freeText: JsonObject = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };

/** A free-text tool is called like a function with one text argument. */
function readTool(value: unknown): PromptTool[] {
  const tool = objectOrEmpty(value);
  if (tool["type"] === "custom") return [{ name: String(tool["name"]), schema: freeText }];
  if (tool["type"] !== "function") return [];
  return [{ name: String(tool["name"]), schema: objectOrEmpty(tool["parameters"]) }];
}

function readToolChoice(value: unknown): ToolChoice {
  if (value === "none" || value === "required") return { mode: value };
  const choice = objectOrEmpty(value);
  if (choice["type"] === "function" || choice["type"] === "custom") {
    return { mode: "named", name: String(choice["name"]) };
  }
  return choice["type"] === "allowed_tools" && choice["mode"] === "required" ? { mode: "required" } : { mode: "auto" };
}

/** The tools, restricted by `allowed_tools`. */
function allowedBy(value: unknown): (tool: PromptTool) => boolean {
  if (!isObject(value) || value["type"] !== "allowed_tools") return () => true;
  const names = listOrEmpty(value["tools"]).map((tool) => objectOrEmpty(tool)["name"]);
  return (tool) => names.includes(tool.name);
}

function readFormat(format: JsonObject): AnswerFormat {
  if (format["type"] === "json_object") return { kind: "json" };
  if (format["type"] !== "json_schema") return { kind: "text" };
  return { kind: "schema", schema: format["schema"] ?? {} };
}
