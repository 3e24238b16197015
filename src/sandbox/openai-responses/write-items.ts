import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { writeTokenLogprob } from "../openai-chat/write-logprobs.ts";
import type { Choice, Reply, ToolCall } from "../reply.ts";
import { seal } from "./seal.ts";

/** The parts of a request that determine the form of the answer. */
export interface WireOptions {
  readonly showsSummary: boolean;
  readonly sealsReasoning: boolean;
  /** The number of alternatives listed for each token; null: no log probabilities. */
  readonly topLogprobs: number | null;
  readonly customTools: ReadonlySet<string>;
  /** What a call of a tool in a namespace says, by both names joined with `__`, as a script calls it. */
  readonly namespaced: ReadonlyMap<string, { readonly namespace: string; readonly name: string }>;
}

export function wireOptionsOf(body: JsonObject): WireOptions {
  const include = listOrEmpty(body["include"]);
  const logprobs = include.includes("message.output_text.logprobs");
  const tools = listOrEmpty(body["tools"]).map(objectOrEmpty);
  const summary = objectOrEmpty(body["reasoning"])["summary"];
  return {
    showsSummary: summary !== undefined && summary !== null,
    sealsReasoning: include.includes("reasoning.encrypted_content"),
    topLogprobs: logprobs ? Number(body["top_logprobs"] ?? 0) : null,
    customTools: new Set(tools.flatMap((tool) => (tool["type"] === "custom" ? [String(tool["name"])] : []))),
    namespaced: new Map(tools.flatMap(toolsInside)),
  };
}

function toolsInside(group: JsonObject): [string, { namespace: string; name: string }][] {
  if (group["type"] !== "namespace") return [];
  const namespace = String(group["name"]);
  const names = listOrEmpty(group["tools"]).map((tool) => String(objectOrEmpty(tool)["name"]));
  return names.map((name) => [`${namespace}__${name}`, { namespace, name }]);
}

export function responseId(reply: Reply): string {
  return "scripted" in reply.id ? reply.id.scripted : `resp_${reply.id.unique}`;
}

/** An item of the output, with the chunks of its text in a stream. */
export interface OutputItem {
  readonly item: JsonObject;
  readonly pieces: readonly string[];
}

/** The items of an answer: reasoning, text, refusal, calls. */
export function writeItems(reply: Reply, choice: Choice, wire: WireOptions): readonly OutputItem[] {
  const items: OutputItem[] = [];
  const idOf = (prefix: string) => `${prefix}_${responseId(reply).replace(/^resp_/, "")}${items.length}`;
  if (choice.reasoning !== "") items.push(writeReasoning(choice.reasoning, idOf("rs"), wire));
  const silent = choice.pieces.length === 0 && (choice.toolCalls.length > 0 || choice.refusal !== null);
  const cut = choice.finishReason === "length" || choice.finishReason === "content_filter";
  const status = cut ? "incomplete" : "completed";
  const message = (content: JsonObject) => ({
    id: idOf("msg"),
    type: "message",
    status,
    role: "assistant",
    content: [content],
  });
  if (!silent) {
    const text = choice.pieces.join("");
    const logprobs = wire.topLogprobs === null ? [] : pieceLogprobs(choice.pieces, wire.topLogprobs);
    items.push({ item: message({ type: "output_text", annotations: [], logprobs, text }), pieces: choice.pieces });
  }
  if (choice.refusal !== null) {
    items.push({ item: message({ type: "refusal", refusal: choice.refusal }), pieces: [choice.refusal] });
  }
  for (const call of choice.toolCalls) items.push(writeCall(call, idOf, status, wire));
  return items;
}

export function pieceLogprobs(pieces: readonly string[], topLogprobs: number): unknown[] {
  return pieces.map((piece) => writeTokenLogprob(piece, topLogprobs));
}

function writeReasoning(reasoning: string, id: string, wire: WireOptions): OutputItem {
  const summary = wire.showsSummary ? [{ type: "summary_text", text: reasoning }] : [];
  const sealed = wire.sealsReasoning ? { encrypted_content: seal(reasoning) } : {};
  return { item: { id, type: "reasoning", ...sealed, summary }, pieces: wire.showsSummary ? [reasoning] : [] };
}

function writeCall(call: ToolCall, idOf: (prefix: string) => string, status: string, wire: WireOptions): OutputItem {
  const common = { call_id: call.id, ...(wire.namespaced.get(call.name) ?? { name: call.name }), status };
  if (!wire.customTools.has(call.name)) {
    const item = { id: idOf("fc"), type: "function_call", ...common, arguments: call.arguments };
    return { item, pieces: [call.arguments] };
  }
  const input = freeTextOf(call.arguments);
  return { item: { id: idOf("ctc"), type: "custom_tool_call", ...common, input }, pieces: [input] };
}

function freeTextOf(written: string): string {
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) && typeof value["input"] === "string" ? value["input"] : written;
  } catch {
    return written;
  }
}
