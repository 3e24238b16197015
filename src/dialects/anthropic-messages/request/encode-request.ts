import type { FieldName } from "../../../conversation/fields/fields.ts";
import { budgetOfEffort } from "../../../conversation/effort.ts";
import type { ConversationRequest, Tool } from "../../../conversation/request.ts";
import { callerPath } from "../../../conversation/fields/used-fields.ts";
import { checkToolInputs } from "../../../conversation/tool-calls.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { EncodedRequest, EncodeTarget } from "../../codec.ts";
import { encodeCache, type BlockNotes } from "./encode-blocks.ts";
import { encodeMessages } from "./encode-messages.ts";
import { fitOutputSchema } from "./output-schema.ts";
import { messagesSupportOf, messagesProfileOf } from "../quirks.ts";
import { messagesVendorFields } from "../spelling.ts";
import { planThinking } from "./thinking.ts";

/** The vendor demands a maximum: this is sent if neither the caller nor the catalog names one. */
const defaultMaxTokens = 4_096;

const jsonInstruction = "Answer with a single JSON object and nothing else.";

/** Writes a reviewed request for a provider that speaks Anthropic Messages. */
export function encodeMessagesRequest(request: ConversationRequest, target: EncodeTarget): EncodedRequest {
  checkToolInputs(request);
  const support = messagesSupportOf(target.model);
  const notes: BlockNotes = { warnings: [], breakpointsLeft: 4 };
  const warn = (field: FieldName) => notes.warnings.push(callerPath(request, field));
  const maxTokens = maxTokensOf(request, target);
  const plan = planThinking(request, messagesProfileOf(target.model), maxTokens);
  if (plan.leftOut) warn(request.reasoning?.budgetTokens === undefined ? "reasoning.effort" : "reasoning.budget");

  // Tools come before the messages in the cached prefix, so they take their breakpoints first.
  const tools = encodeTools(request, support["tool.strict"].status === "carried", notes);
  const conversation = encodeMessages(request, notes);
  /** A sampling value, if the model and its thinking leave it to the caller. */
  const sampled = (field: "temperature" | "topP" | "topK"): number | undefined => {
    const value = request[field];
    if (value === undefined || support[field].status === "ignored") return undefined;
    if (!plan.on) return value;
    warn(field);
    return undefined;
  };
  const temperature = sampled("temperature");
  if (temperature !== undefined && temperature > 1) warn("temperature");

  const body: JsonObject = {
    model: target.model,
    max_tokens: maxTokens,
    system: request.responseFormat?.type === "json" ? withInstruction(conversation.system) : conversation.system,
    messages: conversation.messages,
    stream: request.stream || undefined,
    tools,
    tool_choice: encodeToolChoice(request),
    thinking:
      request.vendorFields?.["anthropic.thinking_between_tools"] === true ? { type: "between_tools" } : plan.thinking,
    output_config: encodeOutputConfig(request, plan.effort),
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: sampled("topP"),
    top_k: sampled("topK"),
    stop_sequences: encodeStop(request, notes),
    metadata: encodeMetadata(request, notes),
    service_tier: encodeServiceTier(request, notes),
    ...encodeVendorFields(request),
  };
  return { path: "/v1/messages", headers: { "anthropic-version": "2023-06-01" }, body, warnings: notes.warnings };
}

function maxTokensOf({ maxOutputTokens, reasoning }: ConversationRequest, target: EncodeTarget): number {
  if (maxOutputTokens !== undefined) return maxOutputTokens;
  if (target.maxOutputTokens !== null) return target.maxOutputTokens;
  // Thinking counts towards the maximum, and is not to eat up the answer.
  const { budgetTokens, effort } = reasoning ?? {};
  return defaultMaxTokens + (budgetTokens ?? (effort === undefined ? 0 : budgetOfEffort(effort)));
}

function withInstruction(system: string | JsonObject[] | undefined): string | JsonObject[] {
  if (system === undefined) return jsonInstruction;
  if (typeof system === "string") return `${system}\n\n${jsonInstruction}`;
  return [...system, { type: "text", text: jsonInstruction }];
}

function encodeTools(request: ConversationRequest, strict: boolean, notes: BlockNotes): JsonObject[] | undefined {
  const { tools, toolChoice } = request;
  if (tools === undefined || tools.length === 0) return undefined;
  const allowed = toolChoice?.type === "allowed" ? new Set(toolChoice.names) : null;
  return tools
    .filter((tool) => allowed === null || tool.type === "native" || allowed.has(tool.name))
    .flatMap((tool) => encodeTool(tool, strict, notes));
}

function encodeTool(tool: Tool, strict: boolean, notes: BlockNotes): JsonObject[] {
  if (tool.type === "native") return tool.vendor === "anthropic" ? [tool.value] : [];
  if (tool.type === "custom") return [];
  const { name, description, parameters } = tool;
  // The vendor wants an object's schema, and closed if it is to bind.
  const schema = { type: "object", ...(parameters ?? { properties: {} }) };
  const binds = strict && tool.strict === true;
  return [
    {
      name,
      description,
      input_schema: binds ? fitOutputSchema(schema) : schema,
      strict: strict ? tool.strict : undefined,
      cache_control: encodeCache(tool, notes),
    },
  ];
}

function encodeToolChoice({ tools, toolChoice, parallelToolCalls }: ConversationRequest): JsonObject | undefined {
  if (tools === undefined || tools.length === 0) return undefined;
  if (toolChoice?.type === "none") return { type: "none" };
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  if (toolChoice === undefined) return parallelToolCalls === undefined ? undefined : { type: "auto", ...parallel };
  if (toolChoice.type === "tool") return { type: "tool", name: toolChoice.name, ...parallel };
  const required = toolChoice.type === "required" || (toolChoice.type === "allowed" && toolChoice.mode === "required");
  return { type: required ? "any" : "auto", ...parallel };
}

function encodeOutputConfig(
  { responseFormat }: ConversationRequest,
  effort: string | undefined,
): JsonObject | undefined {
  const format =
    responseFormat?.type === "schema"
      ? { type: "json_schema", schema: fitOutputSchema(responseFormat.schema) }
      : undefined;
  return effort === undefined && format === undefined ? undefined : { effort, format };
}

/** The vendor refuses stop sequences of white space alone. */
function encodeStop(request: ConversationRequest, notes: BlockNotes): readonly string[] | undefined {
  const kept = request.stop?.filter((sequence) => sequence.trim() !== "") ?? [];
  if (kept.length < (request.stop?.length ?? 0)) notes.warnings.push(callerPath(request, "stop"));
  return kept.length === 0 ? undefined : kept;
}

function encodeMetadata(request: ConversationRequest, notes: BlockNotes): JsonObject | undefined {
  const { userId, safetyIdentifier } = request;
  if (safetyIdentifier !== undefined && userId !== undefined) notes.warnings.push(callerPath(request, "userId"));
  const id = safetyIdentifier ?? userId;
  return id === undefined ? undefined : { user_id: id };
}

function encodeServiceTier(request: ConversationRequest, notes: BlockNotes): string | undefined {
  switch (request.serviceTier) {
    case undefined:
      return undefined;
    case "auto":
      return "auto";
    case "standard":
      return "standard_only";
    default:
      notes.warnings.push(callerPath(request, "serviceTier"));
      return undefined;
  }
}

function encodeVendorFields({ vendorFields }: ConversationRequest): JsonObject {
  if (vendorFields === undefined) return {};
  return Object.fromEntries(
    messagesVendorFields.flatMap(([wireName, field]) =>
      field in vendorFields ? [[wireName, vendorFields[field]]] : [],
    ),
  );
}
