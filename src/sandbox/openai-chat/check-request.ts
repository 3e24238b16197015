import type { JsonObject } from "../json.ts";
import { listOrEmpty, objectOrEmpty } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { checkMessages } from "./check-messages.ts";
import { checkTools } from "./check-tools.ts";
import {
  anything,
  type Check,
  flag,
  integer,
  invalidValue,
  missing,
  number,
  object,
  oneOf,
  optional,
  text,
} from "./check-value.ts";

const checkStop: Check = (value, path) => {
  if (typeof value === "string") return;
  if (!Array.isArray(value)) text(value, path);
  const stops = listOrEmpty(value);
  if (stops.length > 4) {
    throw invalidValue(
      path,
      `Invalid '${path}': array too long. Expected an array with maximum length 4.`,
      "array_above_max_length",
    );
  }
  stops.forEach((stop, index) => text(stop, `${path}[${index}]`));
};

const checkFormat: Check = (value, path) => {
  object(value, path);
  const format = objectOrEmpty(value);
  oneOf("text", "json_object", "json_schema")(format["type"], `${path}.type`);
  if (format["type"] !== "json_schema") return;
  if (format["json_schema"] === undefined) throw missing(`${path}.json_schema`);
  object(format["json_schema"], `${path}.json_schema`);
  const named = objectOrEmpty(format["json_schema"]);
  if (named["name"] === undefined) throw missing(`${path}.json_schema.name`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(text(named["name"], `${path}.json_schema.name`))) {
    throw invalidValue(
      `${path}.json_schema.name`,
      `Invalid '${path}.json_schema.name': string does not match pattern.`,
    );
  }
  optional(object)(named["schema"], `${path}.json_schema.schema`);
};

const checkStreamOptions: Check = (value, path) => {
  object(value, path);
  optional(flag)(objectOrEmpty(value)["include_usage"], `${path}.include_usage`);
};

/** All parameters of the current API, with their checks. */
const parameters: ReadonlyMap<string, Check> = new Map([
  ...["audio", "function_call", "functions", "logit_bias", "metadata", "modalities", "moderation"].map(known),
  ...["prediction", "prompt_cache_options", "prompt_cache_retention", "safety_identifier"].map(known),
  ...["tool_choice", "tools", "user", "web_search_options", "sandbox"].map(known),
  ["frequency_penalty", number(-2, 2)],
  ["logprobs", flag],
  ["max_completion_tokens", integer(1)],
  ["max_tokens", integer(1)],
  ["messages", anything],
  ["model", text],
  ["n", integer(1, 128)],
  ["parallel_tool_calls", flag],
  ["presence_penalty", number(-2, 2)],
  ["prompt_cache_key", text],
  ["reasoning_effort", oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max")],
  ["response_format", checkFormat],
  ["seed", integer(Number.MIN_SAFE_INTEGER)],
  ["service_tier", text],
  ["stop", checkStop],
  ["store", flag],
  ["stream", flag],
  ["stream_options", checkStreamOptions],
  ["temperature", number(0, 2)],
  ["top_logprobs", integer(0, 20)],
  ["top_p", number(0, 1)],
  ["verbosity", oneOf("low", "medium", "high")],
]);

function known(name: string): [string, Check] {
  return [name, anything];
}

/** Checks a request like OpenAI. Throws a Refusal that names the field. */
export function checkRequest(body: JsonObject): void {
  if (body["model"] === undefined || body["model"] === "") {
    throw new Refusal(400, "you must provide a model parameter");
  }
  text(body["model"], "model");
  for (const [name, check] of parameters) optional(check)(body[name], name);
  checkMessages(body["messages"]);
  checkTools(body);
  if (body["stream_options"] !== undefined && body["stream_options"] !== null && body["stream"] !== true) {
    throw invalidValue("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  if (typeof body["top_logprobs"] === "number" && body["logprobs"] !== true) {
    throw invalidValue("top_logprobs", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.");
  }
}

/** The further checks of strict mode: unknown parameters, and JSON mode without the word "json". */
export function checkStrictly(body: JsonObject): void {
  const unknown = Object.keys(body).find((name) => !parameters.has(name));
  if (unknown !== undefined) {
    throw invalidValue(unknown, `Unknown parameter: '${unknown.slice(0, 100)}'.`, "unknown_parameter");
  }
  const asksJson = objectOrEmpty(body["response_format"])["type"] === "json_object";
  if (asksJson && !/json/i.test(JSON.stringify(body["messages"]))) {
    throw invalidValue(
      "messages",
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    );
  }
}
