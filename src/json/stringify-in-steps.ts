import { nextTurn } from "../next-turn.ts";
import { isObject } from "./values.ts";

/** Longer strings are written in pieces of so many characters, each in a turn of its own. */
const pieceLength = 1 << 20;

/** What no caller can know to write. */
const mark = `cut ${crypto.randomUUID()} `;

/** Writes a value as `JSON.stringify` does, but for long strings turn by turn: 30 MB of emoji take 100 ms. */
export async function stringifyInSteps(value: unknown): Promise<string> {
  const strings: string[] = [];
  const written = JSON.stringify(withoutLongStrings(value, strings));
  let text = "";
  let copied = 0;
  for (const [index, string] of strings.entries()) {
    const quotedMark = `"${mark}${index}"`;
    const at = written.indexOf(quotedMark, copied);
    text += `${written.slice(copied, at)}"`;
    // The engine joins what it was made of: in a turn of its own.
    string.charCodeAt(0);
    await nextTurn();
    for (let from = 0; from < string.length;) {
      const to = endOfPiece(string, from);
      text += JSON.stringify(string.slice(from, to)).slice(1, -1);
      from = to;
      await nextTurn();
    }
    text += '"';
    copied = at + quotedMark.length;
  }
  return text + written.slice(copied);
}

function withoutLongStrings(value: unknown, strings: string[]): unknown {
  if (typeof value === "string") return value.length <= pieceLength ? value : `${mark}${strings.push(value) - 1}`;
  if (Array.isArray(value)) return value.map((item) => withoutLongStrings(item, strings));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutLongStrings(member, strings)]));
}

/** A pair of surrogates is not cut in two: alone, each is written as an escape. */
function endOfPiece(text: string, from: number): number {
  const to = Math.min(text.length, from + pieceLength);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd800 && last < 0xdc00 ? to - 1 : to;
}
