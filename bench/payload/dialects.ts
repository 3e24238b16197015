import { messagesAnswers, messagesAsking } from "./anthropic-messages.ts";
import type { Answers, Asking, Dialect } from "./dialect.ts";
import { geminiAnswers, geminiAsking } from "./gemini.ts";
import { chatAnswers, chatAsking } from "./openai-chat.ts";
import { responsesAnswers, responsesAsking } from "./openai-responses.ts";

export const answers: Readonly<Record<Dialect, Answers>> = {
  "openai-chat": chatAnswers,
  "anthropic-messages": messagesAnswers,
  "openai-responses": responsesAnswers,
  gemini: geminiAnswers,
};

export const dialects = Object.keys(answers) as readonly Dialect[];

export const askings: Readonly<Record<Dialect, Asking>> = {
  "openai-chat": chatAsking,
  "anthropic-messages": messagesAsking,
  "openai-responses": responsesAsking,
  gemini: geminiAsking,
};
