import { chatDialect } from "./chat-dialect.ts";
import type { Dialect } from "./conversation.ts";
import { generateContentDialect } from "./generate-content-dialect.ts";
import { messagesDialect } from "./messages-dialect.ts";
import { responsesDialect } from "./responses-dialect.ts";

/** The dialects of conversations, by the endpoint that a model has to serve. */
export const dialects = {
  chat: chatDialect,
  messages: messagesDialect,
  responses: responsesDialect,
  generate_content: generateContentDialect,
} as const satisfies Readonly<Record<string, Dialect>>;

export type ConversationEndpoint = keyof typeof dialects;
