import type { ConversationRequest, Message } from "../../../conversation/request.ts";
import { invalidParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import { encodeBlocks, type BlockNotes } from "./encode-blocks.ts";

export interface EncodedConversation {
  readonly system: string | JsonObject[] | undefined;
  readonly messages: JsonObject[];
}

type WireRole = "system" | "user" | "assistant";

/**
 * Writes the conversation. Instructions before it are `system`; later ones keep their place. Messages of one role that
 * follow each other become one, so that all results of parallel calls are together, before the user's text.
 */
export function encodeMessages(request: ConversationRequest, notes: BlockNotes): EncodedConversation {
  const { messages } = request;
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const leading = first < 0 ? messages : messages.slice(0, first);
  const system = leading.flatMap((message) => encodeBlocks(message.parts, notes));

  const turns: { readonly role: WireRole; readonly content: JsonObject[] }[] = [];
  for (const message of first < 0 ? [] : messages.slice(first)) {
    const content = encodeBlocks(message.parts, notes);
    if (content.length === 0) continue;
    const role = wireRole(message.role);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  if (turns.length === 0) throw invalidParameter("messages", "at least one user message that is not empty");
  trimPrefill(turns.at(-1));
  return {
    system: system.length === 0 ? undefined : asText(system),
    messages: turns.map(({ role, content }) => ({ role, content: asText(content) })),
  };
}

function wireRole(role: Message["role"]): WireRole {
  if (role === "tool") return "user";
  return role === "developer" ? "system" : role;
}

/** One plain text as a string. */
function asText(blocks: JsonObject[]): string | JsonObject[] {
  const [only] = blocks;
  const plain = blocks.length === 1 && only?.type === "text" && only.cache_control === undefined;
  return plain && typeof only.text === "string" ? only.text : blocks;
}

/** The vendor refuses a last message of the assistant's that ends in white space. */
function trimPrefill(turn: { readonly role: WireRole; readonly content: JsonObject[] } | undefined): void {
  const last = turn?.content.at(-1);
  if (turn?.role !== "assistant" || last?.type !== "text" || typeof last.text !== "string") return;
  turn.content[turn.content.length - 1] = { ...last, text: last.text.trimEnd() };
}
