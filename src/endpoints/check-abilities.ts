import type { FieldName } from "../conversation/fields.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import { callerPath, visitFields } from "../conversation/used-fields.ts";
import { invalidParameter, unsupportedParameter } from "../errors.ts";
import type { Model } from "../routing/names/model.ts";

/** Which capability of a model each field of a request asks for. */
const capabilities: Readonly<Partial<Record<FieldName, string>>> = {
  tools: "tools",
  "tool.custom": "tools",
  "toolChoice.required": "tool_choice",
  "toolChoice.tool": "tool_choice",
  "toolChoice.allowed": "tool_choice",
  parallelToolCalls: "parallel_tool_calls",
  "responseFormat.json": "response_format",
  "responseFormat.schema": "json_schema",
  stream: "streaming",
  "image.data": "vision",
  "image.url": "vision",
  "audio.data": "audio_input",
  "audio.url": "audio_input",
  "reasoning.enabled": "reasoning",
  "reasoning.effort": "reasoning",
  "reasoning.budget": "reasoning",
  temperature: "temperature",
  stop: "stop",
  seed: "seed",
  logprobs: "logprobs",
  candidateCount: "n",
};

/** Capabilities that a model must be known to have, where nobody chose the model. */
const decisive = new Set(["tools", "vision", "audio_input", "json_schema"]);

/** Which of the decisive capabilities a request needs. */
export function abilitiesUsed(request: ConversationRequest): Set<string> {
  const used = new Set<string>();
  visitFields(request, (field) => {
    const capability = capabilities[field];
    if (capability !== undefined && decisive.has(capability)) used.add(capability);
  });
  return used;
}

/** Refuses what a model is declared not to do, and a temperature outside its range. Throws a 400 naming the field. */
export function checkAbilities(request: ConversationRequest, model: Model): void {
  visitFields(request, (field, path) => {
    const capability = capabilities[field];
    if (capability === undefined || model.parameters[capability] !== false) return;
    throw unsupportedParameter(path, `The model '${model.id}' does not support '${path}' (${capability}).`);
  });
  const { min, max } = model.temperature;
  const { temperature } = request;
  if (temperature !== undefined && (temperature < min || temperature > max)) {
    throw invalidParameter(callerPath(request, "temperature"), `a number from ${min} to ${max}`);
  }
}
