import type { FieldName } from "./fields.ts";
import type { Located, Part, Source } from "../parts.ts";
import type { ConversationRequest, ReasoningSettings, Tool } from "../request.ts";

/** Called with a field that a request uses and the caller's own path of it. */
export type FieldVisitor = (field: FieldName, path: string) => void;

/** The caller's path of a field: of its own, or within the message, part or tool that carries it. */
export function callerPath(request: ConversationRequest, field: FieldName, node?: Located): string {
  const spelled = request.spelling[field];
  return node?.path === undefined ? (spelled ?? field) : node.path + (spelled ?? "");
}

/**
 * Visits each field the request uses, in the order of its messages, tools, then settings. A field set to what its
 * absence means (`n: 1`, `logprobs: false`) is not used.
 */
export function visitFields(request: ConversationRequest, visit: FieldVisitor): void {
  const at = (field: FieldName, node?: Located) => visit(field, callerPath(request, field, node));
  visitMessages(request, at);
  for (const tool of request.tools ?? []) visitTool(tool, at);
  visitSettings(request, at);
  for (const field in request.vendorFields) at(field as FieldName);
  for (const path of request.unknownFields ?? []) visit("unknown", path);
}

type NodeVisitor = (field: FieldName, node?: Located) => void;

function visitMessages({ messages, followsAssistant }: ConversationRequest, at: NodeVisitor): void {
  let conversing = false;
  for (const message of messages) {
    if (message.role === "system" || message.role === "developer") {
      at(conversing ? "instructions.midway" : "instructions", message);
    } else conversing = true;
    if (message.name !== undefined) at("message.name", message);
    if (message.phase !== undefined) at("message.phase", message);
    for (const part of message.parts) visitPart(part, at);
  }
  const last = messages.at(-1);
  if (last?.role === "assistant") at(followsAssistant === true ? "assistant.last" : "assistant.prefill", last);
}

function visitPart(part: Part, at: NodeVisitor): void {
  if (part.cache !== undefined) {
    at("cache", part);
    if (part.cache.lifetime !== undefined) at("cache.lifetime", part);
  }
  switch (part.type) {
    case "text":
      at("text", part);
      if (part.citations !== undefined && part.citations.length > 0) at("citations", part);
      return;
    case "image":
      at(sourceField("image", part.source), part);
      if (part.detail !== undefined) at("image.detail", part);
      return;
    case "document":
      at(part.source.type === "text" ? "document.text" : sourceField("document", part.source), part);
      if (part.title !== undefined) at("document.title", part);
      if (part.context !== undefined) at("document.context", part);
      if (part.citations === true) at("document.citations", part);
      return;
    case "audio":
    case "video":
      at(sourceField(part.type, part.source), part);
      return;
    case "tool-call":
      at(part.kind === "custom" ? "toolCall.custom" : "toolCall", part);
      return;
    case "tool-result":
      at("toolResult", part);
      if (part.isError === true) at("toolResult.error", part);
      for (const inner of part.parts) {
        if (inner.type !== "text" && inner.type !== "native") at("toolResult.media", inner);
        visitPart(inner, at);
      }
      return;
    case "reasoning":
      at(part.signature === undefined ? "reasoning.unsigned" : `reasoning.${part.signature.vendor}`, part);
      return;
    case "refusal":
      at("refusal", part);
      return;
    case "native":
      at(`native.${part.vendor}`, part);
  }
}

function sourceField(kind: "image" | "document" | "audio" | "video", source: Source): FieldName {
  return source.type === "file" ? `file.${source.vendor}` : `${kind}.${source.type}`;
}

function visitTool(tool: Tool, at: NodeVisitor): void {
  switch (tool.type) {
    case "function":
      at("tools", tool);
      if (tool.strict !== undefined) at("tool.strict", tool);
      if (tool.cache !== undefined) at("cache", tool);
      if (tool.cache?.lifetime !== undefined) at("cache.lifetime", tool);
      return;
    case "custom":
      at("tool.custom", tool);
      if (tool.format?.type === "grammar") at("tool.grammar", tool);
      return;
    case "native":
      at(`tool.${tool.vendor}`, tool);
  }
}

/** Settings whose field has the same name, and is used whenever it is there. */
const plainSettings = [
  "parallelToolCalls",
  "verbosity",
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "userId",
  "safetyIdentifier",
  "metadata",
  "serviceTier",
  "cacheKey",
] as const satisfies readonly (FieldName & keyof ConversationRequest)[];

function visitSettings(request: ConversationRequest, at: NodeVisitor): void {
  for (const field of plainSettings) if (request[field] !== undefined) at(field);
  if (request.toolChoice !== undefined) at(`toolChoice.${request.toolChoice.type}`);
  if (request.stop !== undefined && request.stop.length > 0) at("stop");
  if ((request.candidateCount ?? 1) > 1) at("candidateCount");
  if (request.logprobs === true) at("logprobs");
  if ((request.topLogprobs ?? 0) > 0) at("topLogprobs");
  if (request.modalities?.some((modality) => modality !== "text") === true) at("modalities.output");
  if (request.stream) at("stream");
  if (request.responseFormat?.type === "json") at("responseFormat.json");
  if (request.responseFormat?.type === "schema") {
    at("responseFormat.schema");
    if (request.responseFormat.strict !== undefined) at("responseFormat.strict");
  }
  if (request.reasoning !== undefined) visitReasoning(request.reasoning, at);
}

function visitReasoning(reasoning: ReasoningSettings, at: NodeVisitor): void {
  if (reasoning.enabled === true) at("reasoning.enabled");
  if (reasoning.enabled === false) at("reasoning.disabled");
  if (reasoning.effort !== undefined) at("reasoning.effort");
  if (reasoning.budgetTokens !== undefined) at("reasoning.budget");
  if (reasoning.summary !== undefined) at("reasoning.summary");
}
