import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { listDimensions, sumOf } from "../dimensions.ts";
import { reportedUsage } from "./arbitraries.testkit.ts";
import { exampleUsage } from "./usage.testkit.ts";
import { asObserved, laterUsage } from "./usage.ts";

const good = exampleUsage({ input: 9, cache_read: 4, output: 23 }, { reasoning: 3, raw: { total: 36 } });

describe("a later report", () => {
  test("stands for an earlier one", () => {
    const later = exampleUsage({ input: 9, output: 29 });
    expect(laterUsage(good, later)).toBe(later);
    expect(laterUsage(null, later)).toBe(later);
    expect(laterUsage(good, null)).toBe(good);
    expect(laterUsage(null, null)).toBeNull();
  });

  test("that is empty or all 0 takes nothing back, and the raw counts stay", () => {
    expect(laterUsage(good, exampleUsage({}, { raw: { trafficType: "ON_DEMAND" } }))).toBe(good);
    expect(laterUsage(good, exampleUsage({ input: 0, output: 0 }, { raw: { total: 0 } }))).toBe(good);
  });

  test("of one side leaves the other as it was, with nothing counted twice", () => {
    expect(laterUsage(good, exampleUsage({ output: 40 }, { raw: { more: 1 } }))).toEqual(
      exampleUsage({ input: 9, cache_read: 4, output: 40 }, { raw: { total: 36, more: 1 } }),
    );
    expect(laterUsage(good, exampleUsage({ cache_miss: 13 }))?.quantities).toEqual({ cache_miss: 13, output: 23 });
  });

  test("keeps searches that it does not repeat, and the word of a count on the way", () => {
    const searched = exampleUsage({ web_search: 2 });
    expect(laterUsage(searched, good)).toMatchObject({
      quantities: { ...good.quantities, web_search: 2 },
      raw: good.raw,
    });
    const onTheWay = exampleUsage({ input: 9, output: 23 }, { output: "so_far" });
    expect(laterUsage(onTheWay, exampleUsage({ input: 9, output: 0 }))).toMatchObject({
      quantities: { output: 23 },
      output: "so_far",
    });
  });

  test("never leaves less of a side than the last that was not 0", () => {
    const usage = reportedUsage("plain");
    fc.assert(
      fc.property(usage, usage, (known, later) => {
        const joined = laterUsage(known, later);
        for (const side of ["input", "output"] as const) {
          const last = sumOf(later.quantities, "token", side) || sumOf(known.quantities, "token", side);
          expect(sumOf(joined?.quantities ?? {}, "token", side)).toBe(last);
        }
        const names = listDimensions(joined?.quantities ?? {}).map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});

test("an output that is observed on its way is not final", () => {
  expect(asObserved(good, true)).toBe(good);
  expect(asObserved(good, false)).toEqual({ ...good, output: "so_far" });
  expect(asObserved(exampleUsage({ input: 1 }), false)?.output).toBe("none");
  expect(asObserved(null, false)).toBeNull();
});
