/** The dialects in which conversations are held. */
export const dialectNames = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;

export type DialectName = (typeof dialectNames)[number];
