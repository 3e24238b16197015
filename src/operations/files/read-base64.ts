import { nextTurn } from "../../next-turn.ts";

/**
 * Reads bytes as base64, a piece a turn: 32 MiB at once would hold others up. The engine joins the pieces once a character is asked
 * for, together with what the text has become a part of by then: to join them here would copy all of it once more.
 */
export async function readBase64(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  let rest: Uint8Array = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    // Three bytes are four characters: only the last piece may end within them.
    const whole = bytes.length - (bytes.length % 3);
    text += base64Of(bytes.subarray(0, whole));
    rest = bytes.slice(whole);
    await nextTurn();
  }
  return text + base64Of(rest);
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}
