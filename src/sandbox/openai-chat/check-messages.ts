import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { invalidValue, list, missing, object, oneOf, optional, text } from "./check-value.ts";

const role = oneOf("developer", "system", "user", "assistant", "tool", "function");
const partType = oneOf("text", "image_url", "input_audio", "file", "refusal");
const maxToolIdLength = 64;

/** Checks `messages`: shape, contents, and that tool calls and their results follow each other. */
export function checkMessages(value: unknown): void {
  if (value === undefined || value === null) throw missing("messages");
  list(value, "messages");
  const messages = listOrEmpty(value);
  if (messages.length === 0) {
    throw invalidValue(
      "messages",
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "empty_array",
    );
  }
  messages.forEach((message, index) => checkMessage(message, `messages[${index}]`));
  checkToolOrder(messages.map(objectOrEmpty));
}

function checkMessage(value: unknown, path: string): void {
  object(value, path);
  const message = objectOrEmpty(value);
  if (message["role"] === undefined) throw missing(`${path}.role`);
  role(message["role"], `${path}.role`);
  checkContent(message, path);
  optional(list)(message["tool_calls"], `${path}.tool_calls`);
  listOrEmpty(message["tool_calls"]).forEach((call, index) => checkCall(call, `${path}.tool_calls[${index}]`));
  if (message["role"] !== "tool") return;
  if (message["tool_call_id"] === undefined) throw missing(`${path}.tool_call_id`);
  checkToolId(message["tool_call_id"], `${path}.tool_call_id`);
}

function checkContent(message: JsonObject, path: string): void {
  const content = message["content"];
  if (content === undefined || content === null) {
    const spoken = message["tool_calls"] ?? message["function_call"] ?? message["refusal"] ?? message["audio"];
    if (message["role"] === "assistant" && spoken !== undefined) return;
    if (content === undefined) throw missing(`${path}.content`);
    throw invalidValue(`${path}.content`, `Invalid value for 'content': expected a string, got null.`, "invalid_type");
  }
  if (typeof content === "string") return;
  list(content, `${path}.content`);
  listOrEmpty(content).forEach((part, index) => checkPart(part, `${path}.content[${index}]`));
}

function checkPart(value: unknown, path: string): void {
  object(value, path);
  const part = objectOrEmpty(value);
  if (part["type"] === undefined) throw missing(`${path}.type`);
  const kind = partType(part["type"], `${path}.type`);
  if (part[kind] === undefined) throw missing(`${path}.${kind}`);
  if (kind === "text" || kind === "refusal") {
    text(part[kind], `${path}.${kind}`);
    return;
  }
  object(part[kind], `${path}.${kind}`);
  if (kind === "image_url") text(objectOrEmpty(part[kind])["url"], `${path}.image_url.url`);
}

function checkCall(value: unknown, path: string): void {
  object(value, path);
  const call = objectOrEmpty(value);
  if (call["id"] === undefined) throw missing(`${path}.id`);
  checkToolId(call["id"], `${path}.id`);
  if (call["type"] === undefined) throw missing(`${path}.type`);
  oneOf("function", "custom")(call["type"], `${path}.type`);
  if (call["type"] === "custom") return;
  object(call["function"], `${path}.function`);
  text(objectOrEmpty(call["function"])["name"], `${path}.function.name`);
  text(objectOrEmpty(call["function"])["arguments"], `${path}.function.arguments`);
}

function checkToolId(value: unknown, path: string): void {
  const { length } = text(value, path);
  if (length === 0) throw invalidValue(path, `Invalid '${path}': empty string.`, "empty_string");
  if (length <= maxToolIdLength) return;
  const expected = `Expected a string with maximum length ${maxToolIdLength}, but got a string with length ${length}`;
  throw invalidValue(path, `Invalid '${path}': string too long. ${expected} instead.`, "string_above_max_length");
}

/** Each tool message answers a call of the assistant message before it, and each call is answered. */
function checkToolOrder(messages: readonly JsonObject[]): void {
  let open: Set<unknown> | null = null;
  messages.forEach((message, index) => {
    if (message["role"] === "tool") {
      if (open?.delete(message["tool_call_id"]) === true) return;
      throw invalidValue(
        `messages.[${index}].role`,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      );
    }
    refuseUnanswered(open, index);
    const calls = listOrEmpty(message["tool_calls"]);
    open = calls.length === 0 ? null : new Set(calls.map((call) => objectOrEmpty(call)["id"]));
  });
  refuseUnanswered(open, messages.length);
}

function refuseUnanswered(open: ReadonlySet<unknown> | null, index: number): void {
  if (open === null || open.size === 0) return;
  throw invalidValue(
    `messages.[${index}].role`,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
  );
}
