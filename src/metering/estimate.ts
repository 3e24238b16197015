import type { PromptContent } from "./prompt-content.ts";
import { countInBackground } from "./token-counter.ts";

/**
 * Local estimates of tokens, by OpenAI's `o200k_base`: exact or nearly so for OpenAI's models, and within some tens of
 * percent for others. A provider's own count is always preferred.
 */

/** Tokens that the chat format adds: to each message, and once for the start of the answer. */
const tokensPerMessage = 4;
const tokensToBegin = 3;
/** An image of 1024 x 1024 at OpenAI; sounds and files are taken for the same. */
const tokensPerAttachment = 765;
/** The most expensive known way to count one image: gpt-4o-mini makes 48,000 tokens of a large one. */
const maxTokensPerImage = 50_000;
/** Tokens that vendors put before a request, such as Anthropic's instructions for tools. */
const maxHiddenTokens = 1_000;
const bytesPerToken = 4;
/** Longer texts are counted in samples of this many characters in all, and the rest in proportion. */
const maxCharacters = 65_536;
const sampleCharacters = 4_096;

/** The tokens of a text. Never fails: if they cannot be counted, it is one for every 4 bytes. */
export async function estimateTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const sample = sampleOf(text);
  const counted = await countInBackground(sample);
  if (counted === null) return quickTextTokens(text);
  return Math.max(1, Math.round((counted * text.length) / lengthOf(sample)));
}

/** The tokens that a model reads of a request, counted with care. */
export async function estimateContent(content: PromptContent): Promise<number> {
  return (await estimateTokens(content.texts.join("\n"))) + fixedTokens(content);
}

/** The same at once, on the high side: a token for every 4 bytes. For booking, and for comparing costs. */
export function quickTokens(content: PromptContent): number {
  let bytes = 0;
  for (const text of content.texts) bytes += Buffer.byteLength(text);
  return Math.ceil(bytes / bytesPerToken) + fixedTokens(content);
}

/** The quick figure for one text. */
export function quickTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/**
 * More tokens than a model can read of a request: no tokenizer makes more than one of a byte. Null if bytes do not bound
 * them: a file's pages, a video's frames, and the results of a hosted tool are read as well.
 * @param size UTF-8 bytes of the request's content
 */
export function maxInputTokens({ images, media, hostedTools }: PromptContent, size: number): number | null {
  return media > 0 || hostedTools > 0 ? null : size + images * maxTokensPerImage + maxHiddenTokens;
}

function fixedTokens({ messages, images, media }: PromptContent): number {
  return messages * tokensPerMessage + tokensToBegin + (images + media) * tokensPerAttachment;
}

/** The whole text, or pieces of a long one at even distances. */
function sampleOf(text: string): string[] {
  if (text.length <= maxCharacters) return [text];
  const pieces = maxCharacters / sampleCharacters;
  const distance = (text.length - sampleCharacters) / (pieces - 1);
  return Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor(index * distance);
    return text.slice(start, start + sampleCharacters);
  });
}

function lengthOf(pieces: readonly string[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}
