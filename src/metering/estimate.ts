import type { Part } from "../conversation/parts.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import { textOfRequest } from "../conversation/text-of-request.ts";
import { promptContent } from "./prompt-content.ts";
import { countInBackground } from "./token-counter.ts";

/**
 * Local estimates of tokens, by OpenAI's `o200k_base`: exact or nearly so for OpenAI's models, and within some tens of
 * percent for others. A provider's own count is always preferred.
 */

/** What the chat format itself adds: to each message, and once for the answer to begin. */
const tokensPerMessage = 4;
const tokensToBegin = 3;
/** An image of 1024 x 1024 at OpenAI; sounds and files are taken for the same. */
const tokensPerAttachment = 765;
/** Longer texts are counted in samples of this many characters in all, and the rest in proportion. */
const mostCharacters = 65_536;
const sampleCharacters = 4_096;

/** The tokens of a text. Never fails: where they cannot be counted, it is one for every 4 bytes. */
export async function estimateTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const sample = sampleOf(text);
  const counted = await countInBackground(sample);
  if (counted === null) return quickTokens(text);
  return Math.max(1, Math.round((counted * text.length) / lengthOf(sample)));
}

/** The tokens that a model reads of a chat request's body, whatever its shape. */
export async function estimateChatInput(body: unknown): Promise<number> {
  const { texts, messages, attachments } = promptContent(body);
  return (await estimateTokens(texts.join("\n"))) + formatTokens(messages, attachments);
}

/** The tokens that a model reads of a conversation, whichever dialect it came in. */
export async function estimateConversation(request: ConversationRequest): Promise<number> {
  const attachments = request.messages.reduce((count, { parts }) => count + attachmentsIn(parts), 0);
  return (await estimateTokens(textOfRequest(request))) + formatTokens(request.messages.length, attachments);
}

function attachmentsIn(parts: readonly Part[]): number {
  return parts.reduce((count, part) => {
    if (part.type === "tool-result") return count + attachmentsIn(part.parts);
    return "source" in part && part.source.type !== "text" ? count + 1 : count;
  }, 0);
}

/**
 * A figure on the high side, at once, for booking a chat request against tokens per minute: a token for every 4 bytes
 * that the model reads. What it will write is not in it: that is known only at its end.
 */
export function bookChatTokens(body: unknown): number {
  const { texts, messages, attachments } = promptContent(body);
  let tokens = formatTokens(messages, attachments);
  for (const text of texts) tokens += quickTokens(text);
  return tokens;
}

function formatTokens(messages: number, attachments: number): number {
  return messages * tokensPerMessage + tokensToBegin + attachments * tokensPerAttachment;
}

function quickTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The whole text, or pieces of a long one at even distances. */
function sampleOf(text: string): string[] {
  if (text.length <= mostCharacters) return [text];
  const pieces = mostCharacters / sampleCharacters;
  const distance = (text.length - sampleCharacters) / (pieces - 1);
  return Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor(index * distance);
    return text.slice(start, start + sampleCharacters);
  });
}

function lengthOf(pieces: readonly string[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}
