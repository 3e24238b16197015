import { expect, test } from "bun:test";
import { ExactNumber } from "./exact-numbers.ts";
import { stringifyInSteps } from "./stringify-in-steps.ts";

test("writes what JSON.stringify writes", async () => {
  const length = 1 << 20;
  const values = [
    1,
    "short",
    { a: [null, true, undefined], b: undefined, c: new ExactNumber("12345678901234567890"), __proto__: { d: 1 } },
    { ["__proto__"]: "x".repeat(length + 1), b: ["y".repeat(3 * length), { c: 'q"\\\n'.repeat(length) }] },
    `a${"😀".repeat(length)}`,
    "😀".repeat(length),
    // Halves of a pair, alone.
    `${"x".repeat(length - 1)}\ud83d\ud83d\ude00${"x".repeat(length)}\ude00`,
  ];
  for (const value of values) expect((await stringifyInSteps(value)) === JSON.stringify(value)).toBe(true);
});
