import { expect, test } from "bun:test";
import fc from "fast-check";
import { hear } from "./hear.ts";
import { secondsOf, tonesOf } from "./tones.ts";
import { soundFormats, writeSound } from "./write-sound.ts";

const bytesOf = (text: string, format: (typeof soundFormats)[number], speed = 1) =>
  Buffer.concat([...writeSound(text, format, speed).parts]);

test("what is said is heard, in every format and at every speed", () => {
  const word = fc.oneof(fc.stringMatching(/^[a-z]{1,12}$/), fc.constantFrom("Zürich", "世界", "😀", "don't"));
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...soundFormats),
      fc.constantFrom(0.25, 1, 1.2, 4),
      (words, format, speed) => {
        const text = words.join(" ");
        const heard = hear(bytesOf(text, format, speed));
        expect(heard.text).toBe(text);
        // MP3 has whole frames.
        const tolerance = format === "mp3" ? words.length * 0.03 : 0.01;
        expect(Math.abs(heard.seconds - secondsOf(tonesOf(text, speed)))).toBeLessThan(tolerance);
        for (const { start, end } of heard.words) expect(end).toBeGreaterThanOrEqual(start);
      },
    ),
    { numRuns: 50 },
  );
});

test("sound of other making is told by its size, and no bytes at all throw", () => {
  expect(hear(new Uint8Array(32_000))).toMatchObject({ text: "I hear 32000 bytes of sound.", seconds: 2 });
  fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => expect(hear(bytes).text).not.toBe("")));
  // Cut off in the middle of a word.
  const cut = hear(bytesOf("Hello world", "wav").subarray(0, 44 + 16_000));
  expect(cut.words[0]?.text).toBe("Hello");
});
