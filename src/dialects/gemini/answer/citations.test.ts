import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { encodeCitations } from "./citations.ts";

test("citations are placed in bytes, in whatever order they come", () => {
  const word = fc.constantFrom("a", "é", "你", "😀", " [1]");
  const place = fc.nat({ max: 20 });
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { maxLength: 10 }), { maxLength: 3 }),
      fc.array(fc.tuple(place, place)),
      (all, at) => {
        const texts = all.map((words) => words.join(""));
        const cited = texts.map((text) => {
          const citations = at.map(([start, length]) => ({
            url: "https://a.example/",
            start: Math.min(start, text.length),
            end: Math.min(start + length, text.length),
          }));
          return { text, citations };
        });
        const whole = Buffer.from(texts.join(""));
        const supports = encodeCitations(cited)?.groundingSupports ?? [];
        for (const { segment } of supports as { segment: { startIndex: number; endIndex: number; text: string } }[]) {
          expect(whole.subarray(segment.startIndex, segment.endIndex).toString()).toBe(segment.text);
        }
      },
    ),
  );
});

test("citations of a long text are placed in time that grows with the text alone", () => {
  const text = "😀[1]".repeat(100_000);
  const citations = Array.from({ length: 20_000 }, (_, count) => ({
    url: "https://a.example/",
    start: 25 * count + 2,
    end: 25 * count + 5,
  }));
  const begun = performance.now();
  encodeCitations([{ text, citations }]);
  expect(performance.now() - begun).toBeLessThan(3_000);
});
