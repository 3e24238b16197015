import { anthropicMessages } from "./anthropic-messages/dialect.ts";
import { createDialects } from "./dialect.ts";
import { gemini } from "./gemini/dialect.ts";
import { openaiChat } from "./openai-chat/dialect.ts";
import { openaiResponses } from "./openai-responses/dialect.ts";

/** Every dialect that Tollgate speaks: one line each. Paths, scopes, configuration words and docs are made from it. */
export const dialects = createDialects([openaiChat, openaiResponses, anthropicMessages, gemini]);
