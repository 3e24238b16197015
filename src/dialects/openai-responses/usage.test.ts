import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { reportedUsage } from "../../conversation/arbitraries.ts";
import { readResponsesUsage, writeResponsesUsage } from "./usage.ts";

const nothing = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheMiss: 0 };

test("caches are taken out of the input they are counted in, reasoning stays in the output", () => {
  const raw = {
    input_tokens: 3300,
    input_tokens_details: {
      cached_tokens: 7,
      cache_write_tokens: 3207,
      cache_write_tokens_details: { ttl_30m_tokens: 3207 },
    },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 3350,
  };
  const input = { ...nothing, input: 86, cacheRead: 7, cacheWrite: 3207 };
  expect(readResponsesUsage(raw)).toEqual({ input, output: 50, reasoning: 20, raw });
});

test("cached tokens beyond the input are not taken off it", () => {
  const raw = { input_tokens: 10, input_tokens_details: { cached_tokens: 30 }, output_tokens: 1 };
  expect(readResponsesUsage(raw)?.input).toEqual({ ...nothing, input: 10, cacheRead: 30 });
});

test("a side that is not reported, or not a count, is null", () => {
  expect(readResponsesUsage({ output_tokens: 3 })).toMatchObject({ input: null, output: 3, reasoning: null });
  expect(readResponsesUsage({ input_tokens: -1, output_tokens: 1.5 })).toMatchObject({ input: null, output: null });
  expect(readResponsesUsage(null)).toBeNull();
  expect(readResponsesUsage({})).toBeNull();
});

test("usage of any dialect is written inclusive, and its total is its sum", () => {
  fc.assert(
    fc.property(fc.oneof(reportedUsage("plain"), reportedUsage("split")), (usage) => {
      const written = writeResponsesUsage(usage);
      const read = Object.values(usage.input ?? {}).reduce((sum, count) => sum + count, 0);
      expect(written.input_tokens).toBe(read);
      expect(written.total_tokens).toBe(read + (usage.output ?? 0));
      const again = readResponsesUsage(written);
      expect(again?.input?.input).toBe(usage.input?.input ?? 0);
      expect(again?.input?.cacheRead).toBe(usage.input?.cacheRead ?? 0);
      expect(again?.output).toBe(usage.output);
    }),
  );
});

test("a missing side is written as 0", () => {
  expect(writeResponsesUsage({ input: null, output: null, reasoning: null, raw: {} })).toEqual({
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  });
});
