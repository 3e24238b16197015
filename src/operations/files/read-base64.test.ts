import { expect, test } from "bun:test";
import fc from "fast-check";
import { readBase64 } from "./read-base64.ts";

async function* piecesOf(pieces: readonly Uint8Array[]) {
  for (const piece of pieces) yield piece;
}

test("bytes are written the same however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 9 }), async (pieces) => {
      expect(await readBase64(piecesOf(pieces))).toBe(Buffer.concat(pieces).toString("base64"));
    }),
  );
});
