import { expect, test } from "bun:test";
import { largeText, streamText } from "./large-text.ts";

test.each(["a", "ä", "漢", "🎉", "x🎉"])("a large text of %s is encoded whole, in pieces", async (letters) => {
  const text = `-${letters.repeat((3 * largeText) / letters.length)}`;
  const { length, pieces } = streamText(text);
  const encoded: Uint8Array[] = [];
  for await (const piece of pieces) encoded.push(piece);
  expect(encoded.length).toBeGreaterThan(2);
  const whole = Buffer.concat(encoded);
  expect(whole.length).toBe(length ?? -1);
  expect(whole.equals(Buffer.from(text))).toBe(true);
});

test("a surrogate pair split at the end of a piece is encoded correctly", async () => {
  const text = "a".repeat(largeText - 1) + "\ud800".repeat(3);
  const encoded: Uint8Array[] = [];
  for await (const piece of streamText(text).pieces) encoded.push(piece);
  expect(Buffer.concat(encoded).equals(Buffer.from(text))).toBe(true);
});
