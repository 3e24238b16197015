import { messagesCodec } from "./anthropic-messages/codec.ts";
import type { DialectCodec } from "./codec.ts";
import type { DialectName } from "./exchange.ts";
import { geminiCodec } from "./gemini/codec.ts";
import { chatCodec } from "./openai-chat/conversation/codec.ts";
import { responsesCodec } from "./openai-responses/codec.ts";

/** All dialects. */
export const codecs: Readonly<Record<DialectName, DialectCodec>> = {
  "openai-chat": chatCodec,
  "openai-responses": responsesCodec,
  "anthropic-messages": messagesCodec,
  gemini: geminiCodec,
};

/** For a caller of each dialect, the others from the closest to the farthest. */
const nearness: Readonly<Record<DialectName, readonly DialectName[]>> = {
  "openai-chat": ["openai-chat", "openai-responses", "anthropic-messages", "gemini"],
  "openai-responses": ["openai-responses", "openai-chat", "anthropic-messages", "gemini"],
  "anthropic-messages": ["anthropic-messages", "openai-responses", "openai-chat", "gemini"],
  gemini: ["gemini", "openai-responses", "openai-chat", "anthropic-messages"],
};

/** The dialect, of those a provider speaks, in which the least of a caller's request has to change. */
export function closestDialect(caller: DialectName, spoken: readonly DialectName[]): DialectName {
  const closest = nearness[caller].find((name) => spoken.includes(name));
  if (!closest) throw new Error("A provider must speak at least one dialect.");
  return closest;
}
