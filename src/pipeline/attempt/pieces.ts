import { nextTurn } from "../../next-turn.ts";

/** Copied in one turn of the event loop, in bytes: about a millisecond. */
const stepBytes = 4 << 20;

/** All pieces as one, without a copy if there is only one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  return pieces.length === 1 && first ? first : Buffer.concat(pieces);
}

/** Joins many bytes, each step in a turn of its own. @param bytes the length of all pieces */
export async function joinInSteps(pieces: readonly Uint8Array[], bytes: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(bytes);
  let at = 0;
  let next = stepBytes;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
    if (at < next) continue;
    next += stepBytes;
    await nextTurn();
  }
  return whole;
}
