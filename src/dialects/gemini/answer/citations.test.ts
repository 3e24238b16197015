import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { decodeCitations, encodeCitations } from "./citations.ts";

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

/** Supports of a text at places that are counted in bytes. */
function grounded(places: readonly (readonly [start: unknown, end: unknown])[]) {
  const groundingSupports = places.map(([startIndex, endIndex]) => ({
    segment: { startIndex, endIndex },
    groundingChunkIndices: [0],
  }));
  return { groundingMetadata: { groundingChunks: [{ web: { uri: "https://a.example/" } }], groundingSupports } };
}

test("places in bytes are read in whatever order they come", () => {
  const words = fc.array(fc.constantFrom("a", "é", "你", "😀", "x".repeat(700)), { maxLength: 20 });
  fc.assert(
    fc.property(words, fc.array(fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 })), { minLength: 1 }), (all, at) => {
      const bytesAt = (count: number) => Buffer.byteLength(all.slice(0, count).join(""));
      const places = at.map(([start, length]) => [bytesAt(start), bytesAt(start + length)] as const);
      const found = decodeCitations(grounded(places), all.join(""), 0);
      expect(found.map(({ start, end }) => [start, end])).toEqual(
        at.map(([start, length]) => [
          all.slice(0, start).join("").length,
          all.slice(0, start + length).join("").length,
        ]),
      );
    }),
  );
});

test.each([
  [-1, 1],
  [0, 5],
  [2, 1],
  [Number.NaN, 1],
  [0, "1"],
])("a place that is none is left out: %p to %p", (start, end) => {
  const [found] = decodeCitations(grounded([[start, end]]), "text", 0);
  expect(found).toMatchObject({ url: "https://a.example/" });
  expect(found).not.toHaveProperty("end");
});

test("many places in a long text are read in time that grows with the text alone", () => {
  const places = Array.from({ length: 20_000 }, (_, count) => [count % 2 === 0 ? 0 : 1_399_000, 1_400_000] as const);
  const begun = performance.now();
  expect(decodeCitations(grounded(places), "😀[1]".repeat(200_000), 0)).toHaveLength(20_000);
  expect(performance.now() - begun).toBeLessThan(2_000);
});
