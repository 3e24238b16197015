import { invalidParameter } from "../../errors.ts";
import { readJsonObject } from "../../json/read-object.ts";
import type { Member } from "../../json/top-level.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { checkMessages } from "./check-messages.ts";
import { readModelName } from "../model-name.ts";
import { checkTools } from "./check-tools.ts";

/** A chat completions request that has been read and checked, with the text it was read from. */
export interface ChatRequest {
  /** The body as the caller wrote it. */
  readonly text: string;
  /** Where in the text the members that may have to change stand. */
  readonly members: readonly Member[];
  /** The body as data. Fields that the gateway does not know are in it too. */
  readonly body: JsonObject;
  readonly model: string;
  readonly stream: boolean;
  /** Whether the caller asked for the usage chunk at the end of a stream. */
  readonly includeUsage: boolean;
}

const changeable: ReadonlySet<string> = new Set(["model", "stream_options"]);

/**
 * Reads and checks the body of a chat completions request: the fields of the published tables are type-checked, all
 * others pass as they came. Throws a 400 that names the field.
 */
export function readChatRequest(text: string): ChatRequest {
  const { body, members } = readJsonObject(text, changeable);
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
  readOptional(body, "temperature", "number");
  checkTokenLimit(body, "max_tokens");
  checkTokenLimit(body, "max_completion_tokens");
  checkResponseFormat(body.response_format);
  return { text, members, body, model, stream, includeUsage };
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

function checkTokenLimit(body: JsonObject, field: string): void {
  const value = readOptional(body, field, "number");
  if (value !== null && (!Number.isInteger(value) || value < 1)) {
    throw invalidParameter(field, "a whole number of at least 1");
  }
}

function checkResponseFormat(value: unknown): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) throw invalidParameter("response_format", "an object");
  if (typeof value.type !== "string") throw invalidParameter("response_format.type", "a string");
  if (value.type === "json_schema" && !isObject(value.json_schema)) {
    throw invalidParameter("response_format.json_schema", "an object");
  }
}
