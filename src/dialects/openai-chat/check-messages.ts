import { invalidParameter, missingParameter, unsupportedParameter } from "../../errors.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

const roles: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Checks `messages` as far as the gateway must understand them. Throws a 400 that names the field. */
export function checkMessages(messages: unknown): void {
  if (messages === undefined || messages === null) throw missingParameter("messages");
  if (!Array.isArray(messages)) throw invalidParameter("messages", "an array");
  if (messages.length === 0) throw invalidParameter("messages", "at least one message");
  for (let index = 0; index < messages.length; index++) checkMessage(messages[index], index);
}

function checkMessage(message: unknown, index: number): void {
  if (!isObject(message)) throw invalidParameter(`messages[${index}]`, "an object");
  if (message.role === undefined) throw missingParameter(`messages[${index}].role`);
  if (!roles.has(message.role)) {
    throw invalidParameter(`messages[${index}].role`, "one of system, developer, user, assistant, tool");
  }
  checkContent(message, index);
  if (message.tool_calls !== undefined && message.tool_calls !== null) checkToolCalls(message.tool_calls, index);
  if (message.role === "tool") {
    if (message.tool_call_id === undefined || message.tool_call_id === null) {
      throw missingParameter(`messages[${index}].tool_call_id`);
    }
    if (typeof message.tool_call_id !== "string" || message.tool_call_id === "") {
      throw invalidParameter(`messages[${index}].tool_call_id`, "a string that is not empty");
    }
  }
}

function checkContent(message: JsonObject, index: number): void {
  const { content } = message;
  if (typeof content === "string") return;
  if (content === undefined || content === null) {
    // An assistant turn may be nothing but tool calls, a refusal or audio.
    if (message.role === "assistant" || message.role === "function") return;
    throw missingParameter(`messages[${index}].content`);
  }
  if (!Array.isArray(content)) throw invalidParameter(`messages[${index}].content`, "a string or an array of parts");
  for (let part = 0; part < content.length; part++) checkPart(content[part], `messages[${index}].content[${part}]`);
}

function checkPart(part: unknown, path: string): void {
  if (!isObject(part)) throw invalidParameter(path, "an object");
  if (typeof part.type !== "string") throw invalidParameter(`${path}.type`, "a string");
  if (part.type === "text" && typeof part.text !== "string") throw invalidParameter(`${path}.text`, "a string");
  if (part.type === "file" && isObject(part.file) && part.file.file_id !== undefined && part.file.file_id !== null) {
    throw unsupportedParameter(
      `${path}.file.file_id`,
      "Chat completions read no files by their ids: send 'file_data', or the id to POST /v1/responses.",
    );
  }
  if (part.type === "image_url") {
    if (!isObject(part.image_url)) throw invalidParameter(`${path}.image_url`, "an object with a url");
    const { url } = part.image_url;
    if (typeof url !== "string" || !/^(https?:\/\/|data:)/i.test(url)) {
      throw invalidParameter(`${path}.image_url.url`, "an HTTPS URL or a data URL");
    }
  }
}

function checkToolCalls(toolCalls: unknown, index: number): void {
  const path = `messages[${index}].tool_calls`;
  if (!Array.isArray(toolCalls)) throw invalidParameter(path, "an array");
  toolCalls.forEach((call: unknown, position) => {
    if (!isObject(call)) throw invalidParameter(`${path}[${position}]`, "an object");
    if (typeof call.id !== "string") throw invalidParameter(`${path}[${position}].id`, "a string");
  });
}
