import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { sizeOf } from "../openai-chat/read-attachments.ts";
import type { AnswerFormat, Attachment, Prompt, PromptMessage, ToolChoice } from "../prompt.ts";
import { blocksOf } from "./check-messages.ts";
import { firstBreakpoint } from "./read-cache.ts";

/** Converts a checked request to a prompt. */
export function readPrompt(body: JsonObject): Prompt {
  const choice = objectOrEmpty(body["tool_choice"]);
  const system = textOf({ content: body["system"] });
  return {
    model: String(body["model"]),
    messages: [
      ...(system === "" ? [] : [message("system", { content: body["system"] })]),
      ...listOrEmpty(body["messages"]).map(objectOrEmpty).flatMap(readMessage),
    ],
    tools: listOrEmpty(body["tools"])
      .map(objectOrEmpty)
      .map((tool) => ({ name: String(tool["name"]), schema: objectOrEmpty(tool["input_schema"]) })),
    toolChoice: readToolChoice(choice),
    parallelTools: choice["disable_parallel_tool_use"] !== true,
    format: readFormat(body),
    maxTokens: typeof body["max_tokens"] === "number" ? body["max_tokens"] : null,
    stop: listOrEmpty(body["stop_sequences"]).map(String),
    choices: 1,
    cacheKey: firstBreakpoint(body)?.key ?? null,
    reasoning: objectOrEmpty(body["thinking"])["type"] !== "disabled",
  };
}

/** Converts a message to one or several: each tool result becomes a message, before the rest. */
function readMessage(written: JsonObject): PromptMessage[] {
  const role = written["role"] === "assistant" ? "assistant" : written["role"] === "system" ? "system" : "user";
  if (role !== "user") return [message(role, written)];
  const results = blocksOf(written).filter((block) => block["type"] === "tool_result");
  const words = blocksOf(written).filter((block) => block["type"] !== "tool_result");
  const read = results.map((result): PromptMessage => ({
    role: "tool",
    text: textOf(result),
    attachments: blocksOf(result).flatMap(readAttachment),
    toolCalls: [],
    toolCallId: String(result["tool_use_id"]),
  }));
  if (read.length > 0 && words.length === 0) return read;
  return [...read, message("user", read.length === 0 ? written : { content: words })];
}

function message(role: PromptMessage["role"], written: JsonObject): PromptMessage {
  const blocks = blocksOf(written);
  return {
    role,
    text: textOf(written),
    attachments: blocks.flatMap(readAttachment),
    toolCalls: blocks
      .filter((block) => block["type"] === "tool_use")
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), arguments: JSON.stringify(input) })),
    toolCallId: null,
  };
}

function textOf(written: JsonObject): string {
  const { content } = written;
  if (typeof content === "string") return content;
  const texts = blocksOf(written).filter((block) => block["type"] === "text");
  return texts.map((block) => String(block["text"])).join("");
}

function readAttachment(block: JsonObject): Attachment[] {
  const { type } = block;
  if (type !== "image" && type !== "document") return [];
  const kind = type === "image" ? "image" : "file";
  const { media_type: mediaType, data, url, file_id: id } = objectOrEmpty(block["source"]);
  const isBase64 = objectOrEmpty(block["source"])["type"] === "base64";
  const title = typeof block["title"] === "string" ? block["title"] : null;
  const size = isBase64 ? `${String(mediaType)}, ${sizeOf(String(data), "data")} bytes` : null;
  const described = kind === "image" ? size : (title ?? size);
  const named = [described, url, id, mediaType].find((name) => typeof name === "string");
  return [{ kind, description: (named ?? "unnamed").slice(0, 500) }];
}

function readToolChoice({ type, name }: JsonObject): ToolChoice {
  if (type === "none") return { mode: "none" };
  if (type === "any") return { mode: "required" };
  return type === "tool" ? { mode: "named", name: String(name) } : { mode: "auto" };
}

function readFormat(body: JsonObject): AnswerFormat {
  const format = objectOrEmpty(objectOrEmpty(body["output_config"])["format"]);
  return format["type"] === "json_schema" ? { kind: "schema", schema: format["schema"] } : { kind: "text" };
}
