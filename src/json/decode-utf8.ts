import { nextTurn } from "../next-turn.ts";

/** Larger texts are decoded in steps of this size, each in a turn of its own. */
const stepBytes = 1 << 20;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Throws a `TypeError` if the bytes are not valid. */
export function decodeUtf8(bytes: Uint8Array): string | Promise<string> {
  return bytes.length <= stepBytes ? utf8.decode(bytes) : decodeInSteps(bytes);
}

async function decodeInSteps(bytes: Uint8Array): Promise<string> {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const end = startOfCharacter(bytes, at + stepBytes);
    text += utf8.decode(bytes.subarray(at, end));
    at = end;
    await nextTurn();
  }
  // The engine joins the pieces once a character is asked for: here, in a turn of its own.
  text.charCodeAt(0);
  return text;
}

/** The offset at or shortly before `at` where a character begins. A decoder that joins halves itself is much slower. */
function startOfCharacter(bytes: Uint8Array, at: number): number {
  for (let start = at; start > at - 4; start--) if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  return at;
}
