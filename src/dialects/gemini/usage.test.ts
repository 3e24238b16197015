import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { reportedUsage } from "../../conversation/arbitraries.testkit.ts";
import { readGeminiUsage, writeGeminiUsage } from "./usage.ts";
import { exampleUsage } from "../../conversation/usage.testkit.ts";

const inputOf = (input: number, cache_read = 0) => (cache_read === 0 ? { input } : { input, cache_read });

const examples: Record<string, { usage: object; input: object | null; output: number | null; reasoning?: number }> = {
  "thoughts beside candidates": {
    usage: { promptTokenCount: 9, candidatesTokenCount: 23, totalTokenCount: 217, thoughtsTokenCount: 185 },
    input: inputOf(9),
    output: 208,
    reasoning: 185,
  },
  "cached prompt and what tools were given to read": {
    usage: {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      toolUsePromptTokenCount: 10,
      candidatesTokenCount: 15,
      thoughtsTokenCount: 5,
      totalTokenCount: 130,
    },
    input: inputOf(70, 40),
    output: 20,
    reasoning: 5,
  },
  "a blocked prompt: counts of 0 are left out": {
    usage: { promptTokenCount: 9, totalTokenCount: 9 },
    input: inputOf(9),
    output: 0,
    reasoning: 0,
  },
  "candidates told by the total alone": {
    usage: { promptTokenCount: 9, thoughtsTokenCount: 4, totalTokenCount: 20 },
    input: inputOf(9),
    output: 11,
    reasoning: 4,
  },
  "an early chunk without counts": { usage: { trafficType: "ON_DEMAND" }, input: null, output: null },
  "a prompt that does not include its cached part": {
    usage: { promptTokenCount: 10, cachedContentTokenCount: 40, candidatesTokenCount: 1 },
    input: inputOf(10, 40),
    output: 1,
  },
  "counts that are none": {
    usage: { promptTokenCount: -1, candidatesTokenCount: "7", totalTokenCount: 1.5 },
    input: null,
    output: null,
  },
};

describe("reading", () => {
  for (const [name, { usage, input, output, reasoning }] of Object.entries(examples)) {
    test(name, () => {
      const read = readGeminiUsage(usage);
      expect(read?.quantities as object).toEqual({ ...input, ...(output === null ? {} : { output }) });
      expect(read?.input).toBe(input === null ? "none" : "final");
      expect(read?.output).toBe(output === null ? "none" : "final");
      if (reasoning !== undefined) expect(read?.reasoning).toBe(reasoning);
      expect(read?.raw).toBe(usage as never);
    });
  }

  test("anything but an object is no usage", () => {
    expect(readGeminiUsage(undefined)).toBeNull();
    expect(readGeminiUsage([])).toBeNull();
  });

  test("no count is ever negative, and the input side sums to the prompt", () => {
    const count = fc.option(fc.oneof(fc.nat(1_000), fc.constantFrom(-3, 0.5, Number.NaN)), { nil: undefined });
    const names = ["promptTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount"];
    const shape = Object.fromEntries([...names, "thoughtsTokenCount", "totalTokenCount"].map((name) => [name, count]));
    fc.assert(
      fc.property(fc.record(shape), (usage) => {
        const read = readGeminiUsage(usage);
        const counts = [...Object.values(read?.quantities ?? {}), read?.reasoning ?? 0];
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(0);
        expect(read?.reasoning ?? 0).toBeLessThanOrEqual(read?.quantities.output ?? 0);
      }),
    );
  });
});

describe("writing", () => {
  test("the prompt's count includes caches, the candidates' excludes thoughts", () => {
    const quantities = { input: 60, cache_read: 40, cache_write_5m: 5, cache_write_1h: 2, output: 20 };
    expect(writeGeminiUsage(exampleUsage(quantities, { reasoning: 8 }))).toEqual({
      promptTokenCount: 107,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 12,
      thoughtsTokenCount: 8,
      totalTokenCount: 127,
    });
  });

  test("written usage is read as the same", () => {
    fc.assert(
      fc.property(reportedUsage("none"), (usage) => {
        const raw = writeGeminiUsage(usage);
        expect(readGeminiUsage(raw)).toEqual({ ...usage, raw });
      }),
    );
  });
});
