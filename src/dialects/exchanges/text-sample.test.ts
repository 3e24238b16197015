import { expect, test } from "bun:test";
import fc from "fast-check";
import { TextSample } from "./text-sample.ts";

test("a short text is kept whole, however it is split", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string(),
          fc.nat(10_000).map((length) => "ä".repeat(length)),
        ),
        { maxLength: 6 },
      ),
      (pieces) => {
        const sample = new TextSample();
        for (const piece of pieces) sample.add(piece);
        expect(sample.text()).toBe(pieces.join(""));
        expect(sample.length).toBe(pieces.join("").length);
      },
    ),
  );
});

test("a sample from all of an endless text is kept", () => {
  const sample = new TextSample();
  for (let index = 0; index < 1_000_000; index++) sample.add(`word ${index} `);
  const text = sample.text();
  expect(sample.length).toBe(11_888_890);
  expect(text.length).toBeWithin(30_000, 70_000);
  const numbers = [...text.matchAll(/word (\d+) /g)].map(([, digits]) => Number(digits));
  expect(Math.max(...numbers)).toBeGreaterThan(900_000);
  const middle = numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
  expect(middle).toBeWithin(400_000, 600_000);
});
