import { invalidParameter, unsupportedParameter } from "../../errors.ts";
import { isObject, listOrEmpty, type JsonObject } from "../../json/values.ts";
import type { ChatRequest } from "./request.ts";

/** What a chat request can ask of a model. */
export interface ModelAbilities {
  readonly id: string;
  /** By name. Only `false` refuses; an ability that is not named is not refused. */
  readonly parameters: Readonly<Record<string, boolean>>;
  readonly temperature: { readonly min: number; readonly max: number };
}

/** A capability and whether a body asks for it; `field` is what the error names. */
interface Ask {
  readonly capability: string;
  readonly field: string;
  readonly asks: (body: JsonObject) => boolean;
}

const present = (field: string) => (body: JsonObject) => body[field] !== undefined && body[field] !== null;

const asks: readonly Ask[] = [
  { capability: "tools", field: "tools", asks: (body) => listOrEmpty(body.tools).length > 0 },
  { capability: "tool_choice", field: "tool_choice", asks: present("tool_choice") },
  {
    capability: "parallel_tool_calls",
    field: "parallel_tool_calls",
    asks: (body) => body.parallel_tool_calls === true,
  },
  { capability: "response_format", field: "response_format", asks: (body) => formatOf(body, /^json/) },
  { capability: "json_schema", field: "response_format", asks: (body) => formatOf(body, /^json_schema$/) },
  { capability: "streaming", field: "stream", asks: (body) => body.stream === true },
  { capability: "vision", field: "messages", asks: (body) => hasPart(body, "image_url") },
  { capability: "audio_input", field: "messages", asks: (body) => hasPart(body, "input_audio") },
  { capability: "reasoning", field: "reasoning_effort", asks: (body) => present("reasoning_effort")(body) },
  { capability: "temperature", field: "temperature", asks: present("temperature") },
  { capability: "stop", field: "stop", asks: present("stop") },
  { capability: "seed", field: "seed", asks: present("seed") },
  { capability: "logprobs", field: "logprobs", asks: (body) => body.logprobs === true },
  { capability: "n", field: "n", asks: (body) => typeof body.n === "number" && body.n > 1 },
];

/** Refuses what the model is declared not to do, and a temperature outside its range. Throws a 400 naming the field. */
export function checkCapabilities(request: ChatRequest, model: ModelAbilities): void {
  for (const { capability, field, asks: isAsked } of asks) {
    if (model.parameters[capability] === false && isAsked(request.body)) {
      throw unsupportedParameter(field, `The model '${model.id}' does not support '${field}' (${capability}).`);
    }
  }
  const { temperature } = request.body;
  const { min, max } = model.temperature;
  if (typeof temperature === "number" && (temperature < min || temperature > max)) {
    throw invalidParameter("temperature", `a number from ${min} to ${max}`);
  }
}

function formatOf(body: JsonObject, pattern: RegExp): boolean {
  return isObject(body.response_format) && pattern.test(String(body.response_format.type));
}

function hasPart(body: JsonObject, type: string): boolean {
  return listOrEmpty(body.messages).some(
    (message) => isObject(message) && listOrEmpty(message.content).some((part) => isObject(part) && part.type === type),
  );
}
