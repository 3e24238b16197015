import { nextTurn } from "../../next-turn.ts";
import type { Answer } from "../answer.ts";
import type { SentAnswer } from "../capacity/answer-memory.ts";

/** Given to the server at once, in bytes: about what a socket takes. */
const pieceBytes = 256 << 10;

/**
 * A large body as an answer that is sent as its caller takes it, after which its memory is given back. It has a length, and no
 * caller can tell it from an answer in one piece.
 */
export function largeBody(
  headers: Record<string, string>,
  parts: readonly (string | Uint8Array)[],
  memory: SentAnswer,
): Answer {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  memory.keep(length);
  return {
    status: 200,
    headers: { ...headers, "content-length": String(length) },
    body: null,
    pieces: piecesOf(parts),
    onSent: () => memory.sent(),
  };
}

async function* piecesOf(parts: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  let given = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const end = typeof part === "string" ? characterEnd(part, at + pieceBytes) : at + pieceBytes;
      yield typeof part === "string" ? part.slice(at, end) : part.subarray(at, end);
      at = end;
      given++;
      // A caller that is faster than the gateway holds up no other one.
      if (given % 4 === 0) await nextTurn();
    }
  }
}

/** A character of two units is not cut in two. */
function characterEnd(text: string, end: number): number {
  return end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}
