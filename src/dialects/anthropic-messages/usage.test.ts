import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { reportedUsage } from "../../conversation/arbitraries.ts";
import { joinUsage, readMessagesUsage, writeMessagesUsage } from "./usage.ts";

const none = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheMiss: 0 };

test("a write that is not split has a lifetime that is not told", () => {
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 12_304,
    cache_read_input_tokens: 0,
    output_tokens: 550,
  };
  expect(readMessagesUsage(usage)).toEqual({
    input: { ...none, input: 3, cacheWrite: 12_304 },
    output: 550,
    reasoning: null,
    raw: usage,
  });
});

test("input leaves out what caches read and wrote, output includes thinking", () => {
  const read = readMessagesUsage({
    input_tokens: 60,
    cache_read_input_tokens: 40,
    cache_creation_input_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 2 },
    output_tokens: 20,
    output_tokens_details: { thinking_tokens: 8 },
  });
  expect(read?.input).toEqual({ ...none, input: 60, cacheRead: 40, cacheWrite5m: 5, cacheWrite1h: 2 });
  expect([read?.output, read?.reasoning]).toEqual([20, 8]);
});

test("a side that is not there is not reported, and what is no count is none", () => {
  expect(readMessagesUsage(null)).toBeNull();
  expect(readMessagesUsage({ output_tokens: 4 })).toMatchObject({ input: null, output: 4 });
  expect(readMessagesUsage({ input_tokens: -1, output_tokens: 1.5 })).toMatchObject({ input: null, output: null });
});

test("a later object changes what it says and nothing else", () => {
  expect(joinUsage({ input_tokens: 43, output_tokens: 1 }, { input_tokens: null, output_tokens: 61 })).toEqual({
    input_tokens: 43,
    output_tokens: 61,
  });
});

test("usage written and read again is the same", () => {
  fc.assert(
    fc.property(fc.oneof(reportedUsage("split"), reportedUsage("plain")), (usage) => {
      const read = readMessagesUsage(writeMessagesUsage(usage));
      expect({ ...read, raw: {} }).toEqual(usage);
    }),
  );
});
