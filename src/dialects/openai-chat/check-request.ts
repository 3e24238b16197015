import { invalidParameter } from "../../errors.ts";
import type { ConversationFacts } from "../../operations/conversation.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { readModelName } from "../fields/model-name.ts";
import { optionalAnswerCount, optionalTokenLimit } from "../fields/read-field.ts";
import { checkMessages } from "./check-messages.ts";
import { checkTools } from "./check-tools.ts";

/**
 * Checks the fields of the published tables; all others pass as they came. It is the first half of reading a request, and
 * all of it if the request passes through. Throws a 400 that names the field.
 */
export function checkChatRequest(body: JsonObject): ConversationFacts {
  const model = readModelName(body.model);
  checkMessages(body.messages);
  checkTools(body);
  const stream = readOptional(body, "stream", "boolean") ?? false;
  const streamOptions = body.stream_options;
  if (streamOptions !== undefined && streamOptions !== null && !isObject(streamOptions)) {
    throw invalidParameter("stream_options", "an object");
  }
  const includeUsage = streamOptions?.include_usage ?? false;
  if (typeof includeUsage !== "boolean") throw invalidParameter("stream_options.include_usage", "a boolean");
  const temperature = readOptional(body, "temperature", "number") ?? undefined;
  const llamaCpp = optionalTokenLimit(body.n_predict, "n_predict");
  const older = optionalTokenLimit(body.max_tokens, "max_tokens") ?? llamaCpp;
  const maxOutputTokens = optionalTokenLimit(body.max_completion_tokens, "max_completion_tokens") ?? older;
  optionalAnswerCount(body.n, "n");
  checkResponseFormat(body.response_format);
  return { model, stream, temperature, maxOutputTokens };
}

function readOptional(body: JsonObject, field: string, type: "boolean"): boolean | null;
function readOptional(body: JsonObject, field: string, type: "number"): number | null;
function readOptional(body: JsonObject, field: string, type: "boolean" | "number"): boolean | number | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (type === "boolean" && typeof value === "boolean") return value;
  if (type === "number" && typeof value === "number") return value;
  throw invalidParameter(field, `a ${type}`);
}

function checkResponseFormat(value: unknown): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) throw invalidParameter("response_format", "an object");
  if (typeof value.type !== "string") throw invalidParameter("response_format.type", "a string");
  if (value.type === "json_schema" && !isObject(value.json_schema)) {
    throw invalidParameter("response_format.json_schema", "an object");
  }
}
