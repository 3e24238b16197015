import { invalidParameter, invalidRequest, missingParameter } from "../../errors.ts";
import { scanTopLevel, type Member } from "../../json/top-level.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { checkMessages } from "./check-messages.ts";
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

/** JSON nested deeper than this is refused. */
const maxDepth = 256;
/** Longer names are no names. */
const maxModelLength = 256;

const changeable: ReadonlySet<string> = new Set(["model", "stream_options"]);

/**
 * Reads and checks the body of a chat completions request: the fields of the published tables are type-checked, all
 * others pass as they came. Throws a 400 that names the field.
 */
export function readChatRequest(text: string): ChatRequest {
  const body = parseBody(text);
  const { members, depth } = scanTopLevel(text, changeable);
  if (depth > maxDepth) throw invalidRequest("invalid_json", `The JSON is nested deeper than ${maxDepth} levels.`);

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

function parseBody(text: string): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? ` ${cause.message}.` : "";
    throw invalidRequest("invalid_json", `The request body is not valid JSON.${reason}`);
  }
  if (!isObject(body)) throw invalidRequest("invalid_json", "The request body must be a JSON object.");
  return body;
}

/** Checks a model name's form. Whether there is such a model is the router's question. */
export function readModelName(value: unknown): string {
  if (value === undefined || value === null) throw missingParameter("model");
  if (typeof value !== "string") throw invalidParameter("model", "a string");
  if (value === "" || value.length > maxModelLength || /[\u0000-\u001f\u007f]/.test(value)) {
    throw invalidParameter("model", `1 to ${maxModelLength} characters without control characters`);
  }
  return value;
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
