import type { KeptAnswer } from "../records/record.ts";

/** A larger answer is not kept. */
const mostBytes = 8 << 20;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A whole answer in the form in which it is kept for repetitions; null where it is too large, or not plain text. */
export function keptAnswer(contentType: string, body: string | Uint8Array): KeptAnswer | null {
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (size > mostBytes) return null;
  const text = typeof body === "string" ? body : textOf(body);
  return text !== null && isStorable(text) ? { contentType, body: text } : null;
}

/** Not every database takes a NUL character, or half of a surrogate pair. */
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
