import { nextTurn } from "../../next-turn.ts";
import { markOf, splitAtMarks } from "./marks.ts";

const nothing = new Uint8Array(0);

/** A JSON text that is made of a value and long strings in it. */
export class JsonWithStrings {
  readonly #strings: Uint8Array[] = [];

  /** What stands for a string in the value, whose characters need no escapes: base64. */
  place(characters: Uint8Array): string {
    return markOf(this.#strings.push(characters) - 1);
  }

  /** The text of the value, as the pieces that it is made of. Their strings are not copied. */
  pieces(value: unknown): Uint8Array[] {
    return splitAtMarks(JSON.stringify(value)).map((part) =>
      typeof part === "string" ? Buffer.from(part) : (this.#strings[part] ?? nothing),
    );
  }
}

/** Copied in one turn of the event loop, in bytes: about a millisecond. */
const stepBytes = 4 << 20;

/** All pieces as one, copied in steps. */
export async function joinedInSteps(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += stepBytes) {
      const step = piece.subarray(from, from + stepBytes);
      whole.set(step, at);
      at += step.length;
      if (step.length === stepBytes) await nextTurn();
    }
  }
  return whole;
}
