import type { KeptAnswer } from "../records/record.ts";

/** Larger answers are not stored. */
const maxBytes = 8 << 20;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Converts a complete answer to the form stored for replays; null if it is too large or not valid text. */
export function keptAnswer(contentType: string, body: string | Uint8Array): KeptAnswer | null {
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (size > maxBytes) return null;
  const text = typeof body === "string" ? body : textOf(body);
  return text !== null && isStorable(text) ? { contentType, body: text } : null;
}

/** Not every database accepts a NUL character or a lone surrogate. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function textOf(body: Uint8Array): string | null {
  try {
    return utf8.decode(body);
  } catch {
    return null;
  }
}
