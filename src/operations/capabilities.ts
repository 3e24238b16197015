import type { FieldName } from "../conversation/fields/fields.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import { callerPath, visitFields } from "../conversation/fields/used-fields.ts";
import { invalidParameter } from "../errors.ts";
import type { Model } from "../routing/names/model.ts";
import type { CapabilityUse } from "./operation.ts";

/** Which capability of a model each field of a conversation asks for. */
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

/** The capabilities that a conversation needs of a model, each once, with the caller's first field that needs it. */
export function capabilitiesUsed(request: ConversationRequest): readonly CapabilityUse[] {
  const used = new Map<string, CapabilityUse>();
  visitFields(request, (name, path) => {
    const capability = capabilities[name];
    if (capability === undefined || used.has(capability)) return;
    // A model without tools takes none of them: the list is named, not its first element.
    used.set(capability, { capability, field: capability === "tools" ? path.replace(/\[.*/, "") : path });
  });
  return [...used.values()];
}

/** A conversation that need not be read to know its temperature. */
interface Tempered {
  readonly temperature: number | undefined;
  readonly conversation: ConversationRequest;
}

/** Refuses a temperature outside the model's range. Throws a 400 naming the field. */
export function checkTemperature(input: Tempered, { temperature: { min, max } }: Model): void {
  const { temperature } = input;
  if (temperature === undefined || (temperature >= min && temperature <= max)) return;
  throw invalidParameter(callerPath(input.conversation, "temperature"), `a number from ${min} to ${max}`);
}
