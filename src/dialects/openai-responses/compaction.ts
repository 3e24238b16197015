import { nothingReported } from "../../conversation/usage.ts";
import type { Part, TextPart } from "../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../conversation/request.ts";
import type { ConversationResponse } from "../../conversation/response.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import type { AnswerContext } from "../codec.ts";
import { AnswerFault } from "../exchange.ts";
import { responseIdOf } from "./answer/response-object.ts";
import { writeResponsesUsage } from "./usage.ts";

/**
 * Compaction: a long conversation is replaced by one item, which only its maker can read. At a provider that has no such
 * thing the model is asked for a summary, and the item holds that summary.
 */
const mark = "tollgate.summary.";

const instruction = `Summarize the conversation so far, so that another assistant can go on from your summary alone. \
Keep the user's requests and preferences, decisions and their reasons, facts, names of files and identifiers, results of \
tools, what is done and what remains to be done. Answer with the summary and nothing else.`;

/** The instruction that replaces an answer. */
export function summaryInstruction(path: string): Message {
  return { role: "user", parts: [{ type: "text", text: instruction, path }], path };
}

/**
 * The request that asks for a summary of this conversation. Its tools stay, as some vendors want the tools of earlier
 * calls declared, and none may be called.
 */
export function askForSummary(request: ConversationRequest): ConversationRequest {
  const messages = [...request.messages, summaryInstruction("input")];
  return { ...request, messages, stream: false, ...summarySettings(request) };
}

/** Settings of a request for a summary. */
export function summarySettings({
  tools,
}: Pick<ConversationRequest, "tools">): Pick<ConversationRequest, "toolChoice" | "responseFormat"> {
  return { toolChoice: tools === undefined ? undefined : { type: "none" }, responseFormat: undefined };
}

/** Whether an input ends with a `compaction_trigger`: its answer is to be a compaction item. */
export function endsWithTrigger(input: unknown): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === "compaction_trigger";
}

/** A summary as a compaction item. */
export function compactionItem(summary: string, responseId: string): JsonObject {
  const id = `cmp_${responseId.replace(/^resp_/, "")}`;
  return { id, type: "compaction", encrypted_content: mark + Buffer.from(summary).toString("base64url") };
}

/** The text of an item made here; null for one that only its vendor can read. */
export function openCompaction({ encrypted_content: sealed }: JsonObject): string | null {
  if (typeof sealed !== "string" || !sealed.startsWith(mark)) return null;
  return `Summary of the conversation so far:\n\n${Buffer.from(sealed.slice(mark.length), "base64url").toString()}`;
}

/** An item as a provider of the same dialect takes it: one made here as a message, any other as it is. */
export function withOpenCompaction(item: JsonObject): JsonObject {
  const summary = item.type === "compaction" ? openCompaction(item) : null;
  return summary === null ? item : { type: "message", role: "user", content: summary };
}

/** The same of an `input`: it stays the same value unless an item in it was made here. */
export function withOpenCompactions(input: unknown): unknown {
  if (!Array.isArray(input)) return input;
  const items: readonly unknown[] = input;
  const opened = items.map((item) => (isObject(item) ? withOpenCompaction(item) : item));
  return opened.some((item, index) => item !== items[index]) ? opened : input;
}

/** An answer's text as a compaction item. Throws an `AnswerFault` if there is none. */
export function compacted(parts: readonly Part[], responseId: string): Part {
  const texts = parts.filter((part): part is TextPart => part.type === "text");
  const summary = texts.map(({ text }) => text).join("");
  if (summary.trim() === "") {
    throw new AnswerFault("The provider's answer holds no summary of the conversation.", null, true);
  }
  return { type: "native", vendor: "openai", value: compactionItem(summary, responseId) };
}

/** Writes the answer to a request for a summary as `POST /v1/responses/compact` answers. */
export function encodeCompaction(response: ConversationResponse, context: AnswerContext): JsonObject {
  const id = responseIdOf(response.id, context);
  const part = compacted(response.candidates[0]?.parts ?? [], id);
  return {
    id,
    object: "response.compaction",
    created_at: response.created ?? context.created,
    output: part.type === "native" ? [part.value] : [],
    usage: writeResponsesUsage(response.usage ?? nothingReported),
  };
}
