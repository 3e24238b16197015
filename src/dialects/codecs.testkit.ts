import type { DialectCodec } from "./codec.ts";
import { messagesCodec } from "./anthropic-messages/codec.ts";
import { geminiCodec } from "./gemini/codec.ts";
import { chatCodec } from "./openai-chat/conversation/codec.ts";
import { responsesCodec } from "./openai-responses/codec.ts";

/** The codecs of all conversation dialects. */
export const codecs = {
  "openai-chat": chatCodec,
  "openai-responses": responsesCodec,
  "anthropic-messages": messagesCodec,
  gemini: geminiCodec,
} as const satisfies Readonly<Record<string, DialectCodec>>;

/** The name of a dialect that holds conversations. */
export type ConversationDialectName = keyof typeof codecs;

export const conversationDialectNames = Object.keys(codecs) as readonly ConversationDialectName[];
