import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import {
  anything,
  type Check,
  flag,
  integer,
  invalidValue,
  list,
  missing,
  number,
  object,
  oneOf,
  optional,
  text,
} from "../openai-chat/check-value.ts";
import { checkStrictSchema } from "./check-schema.ts";
import { checkTools } from "./check-tools.ts";

const includable = oneOf(
  "code_interpreter_call.outputs",
  "computer_call_output.output.image_url",
  "file_search_call.results",
  "message.input_image.image_url",
  "message.output_text.logprobs",
  "reasoning.encrypted_content",
  "web_search_call.action.sources",
  "web_search_call.results",
);

const checkInclude: Check = (value, path) => {
  list(value, path);
  listOrEmpty(value).forEach((wanted, index) => includable(wanted, `${path}[${index}]`));
};

const checkText: Check = (value, path) => {
  object(value, path);
  const { format, verbosity } = objectOrEmpty(value);
  optional(oneOf("low", "medium", "high"))(verbosity, `${path}.verbosity`);
  optional(checkFormat)(format, `${path}.format`);
};

const checkFormat: Check = (value, path) => {
  object(value, path);
  const format = objectOrEmpty(value);
  if (oneOf("text", "json_object", "json_schema")(format["type"], `${path}.type`) !== "json_schema") return;
  for (const name of ["name", "schema"]) if (format[name] === undefined) throw missing(`${path}.${name}`);
  const formatName = text(format["name"], `${path}.name`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(formatName)) {
    throw invalidValue(`${path}.name`, `Invalid '${path}.name': string does not match pattern.`);
  }
  object(format["schema"], `${path}.schema`);
  if (format["strict"] !== true) return;
  checkStrictSchema(format["schema"], `response_format '${formatName}'`, `${path}.schema`, "invalid_json_schema");
};

const checkReasoning: Check = (value, path) => {
  object(value, path);
  const { effort, summary } = objectOrEmpty(value);
  optional(oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"))(effort, `${path}.effort`);
  optional(oneOf("auto", "concise", "detailed"))(summary, `${path}.summary`);
};

const checkStreamOptions: Check = (value, path) => {
  object(value, path);
  const unknown = Object.keys(objectOrEmpty(value)).find((name) => name !== "include_obfuscation");
  if (unknown !== undefined) throw unknownParameter(`${path}.${unknown}`);
};

const checkMetadata: Check = (value, path) => {
  object(value, path);
  for (const [key, label] of Object.entries(objectOrEmpty(value))) text(label, `${path}.${key}`);
};

/** All parameters of the current API, with their checks. */
const parameters: ReadonlyMap<string, Check> = new Map([
  ...[
    "access_programs",
    "background",
    "client_metadata",
    "context_management",
    "conversation",
    "image",
    "input",
    "model",
  ].map(known),
  ...["moderation", "prompt", "prompt_cache_options", "prompt_cache_retention", "sandbox"].map(known),
  ...["tool_choice", "tools", "user"].map(known),
  ["include", checkInclude],
  ["instructions", text],
  ["max_output_tokens", integer(16)],
  ["max_tool_calls", integer(1)],
  ["metadata", checkMetadata],
  ["parallel_tool_calls", flag],
  ["previous_response_id", text],
  ["prompt_cache_key", text],
  ["reasoning", checkReasoning],
  ["safety_identifier", text],
  ["service_tier", oneOf("auto", "default", "flex", "scale", "priority", "fast", "ultrafast")],
  ["store", flag],
  ["stream", flag],
  ["stream_options", checkStreamOptions],
  ["temperature", number(0, 2)],
  ["text", checkText],
  ["top_logprobs", integer(0, 20)],
  ["top_p", number(0, 1)],
  ["truncation", oneOf("auto", "disabled")],
]);

function known(name: string): [string, Check] {
  return [name, anything];
}

/** Checks a request like OpenAI, except for the input. Throws a Refusal that names the field. */
export function checkRequest(body: JsonObject): void {
  const unknown = Object.keys(body).find((name) => !parameters.has(name));
  if (unknown !== undefined) throw unknownParameter(unknown);
  if (body["model"] === undefined) throw missing("model");
  text(body["model"], "model");
  for (const [name, check] of parameters) optional(check)(body[name], name);
  checkTools(body);
  if (body["stream_options"] !== undefined && body["stream_options"] !== null && body["stream"] !== true) {
    throw invalidValue("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
}

function unknownParameter(name: string) {
  return invalidValue(name, `Unknown parameter: '${name.slice(0, 100)}'.`, "unknown_parameter");
}
