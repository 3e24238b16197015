import { nextTurn } from "../next-turn.ts";

/** Larger texts are decoded in steps of this size, each in a turn of its own. */
const stepBytes = 4 << 20;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Throws a `TypeError` if the bytes are not valid. */
export function decodeUtf8(bytes: Uint8Array): string | Promise<string> {
  return bytes.length <= stepBytes ? utf8.decode(bytes) : decodeInSteps(bytes);
}

async function decodeInSteps(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (let at = 0; at < bytes.length; at += stepBytes) {
    text += decoder.decode(bytes.subarray(at, at + stepBytes), { stream: true });
    await nextTurn();
  }
  text += decoder.decode();
  // The engine joins the pieces once a character is asked for: here, in a turn of its own.
  text.charCodeAt(0);
  return text;
}
