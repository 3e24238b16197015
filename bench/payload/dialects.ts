import { messagesAnswers, messagesAsking } from "./anthropic-messages.ts";
import type { Answers, Asking, Dialect } from "./dialect.ts";
import { geminiAnswers } from "./gemini.ts";
import { chatAnswers, chatAsking } from "./openai-chat.ts";
import { responsesAnswers } from "./openai-responses.ts";

export const answers: Readonly<Record<Dialect, Answers>> = {
  "openai-chat": chatAnswers,
  "anthropic-messages": messagesAnswers,
  "openai-responses": responsesAnswers,
  gemini: geminiAnswers,
};

export const dialects = Object.keys(answers) as readonly Dialect[];

/** The dialects that the benchmark's callers speak. */
export const askings = { "openai-chat": chatAsking, "anthropic-messages": messagesAsking } as const satisfies Partial<
  Record<Dialect, Asking>
>;

export type CallerDialect = keyof typeof askings;
