import type { Prompt } from "./prompt.ts";

/** The sandbox's rule, which is easy to check by hand: a token is four characters (Unicode code points), rounded up. */
export const charactersPerToken = 4;

const tokensPerMessage = 4;
const tokensPerAttachment = 85;

/** Counts the tokens of one text. */
export function countTokens(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return Math.ceil(characters / charactersPerToken);
}

/** Counts the tokens of a prompt: 4 per message, 85 per attachment, the texts, the tool calls and the tools' JSON. */
export function countPromptTokens(prompt: Prompt): number {
  let tokens = 0;
  for (const message of prompt.messages) {
    tokens += tokensPerMessage + countTokens(message.text) + message.attachments.length * tokensPerAttachment;
    for (const call of message.toolCalls) tokens += countTokens(call.name) + countTokens(call.arguments);
  }
  for (const tool of prompt.tools) tokens += countTokens(tool.name) + countTokens(JSON.stringify(tool.schema));
  return tokens;
}

/** Returns the first tokens of a text. */
export function firstTokens(text: string, tokens: number): string {
  const limit = tokens * charactersPerToken;
  let characters = 0;
  let end = 0;
  for (const character of text) {
    if (characters === limit) return text.slice(0, end);
    characters += 1;
    end += character.length;
  }
  return text;
}
