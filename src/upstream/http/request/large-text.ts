import { nextTurn } from "../../../next-turn.ts";
import type { StreamedBody } from "../../../http/request-body.ts";

/** Longer texts are encoded and written piece by piece, in characters. */
export const largeText = 1 << 20;

/** A text as a body that is encoded while it is sent, each piece in a turn of the event loop of its own. */
export function streamText(text: string): StreamedBody {
  return { length: Buffer.byteLength(text), pieces: piecesOf(text) };
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + largeText);
    // A character of two units is not cut in two.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield Buffer.from(text.slice(at, end));
    await nextTurn();
    at = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
