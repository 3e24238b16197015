import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { reportedUsage } from "../../conversation/arbitraries.testkit.ts";
import { joinUsage, readMessagesUsage, writeMessagesUsage } from "./usage.ts";
import { exampleUsage } from "../../conversation/usage.testkit.ts";

test("a cache write that is not split has an unknown lifetime", () => {
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 12_304,
    cache_read_input_tokens: 0,
    output_tokens: 550,
  };
  const quantities = { input: 3, cache_write: 12_304, output: 550 };
  expect(readMessagesUsage(usage)).toEqual(exampleUsage(quantities, { raw: usage }));
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
  const quantities = { input: 60, cache_read: 40, cache_write_5m: 5, cache_write_1h: 2, output: 20 };
  expect(read).toMatchObject({ quantities, reasoning: 8 });
});

test("an absent side is not reported, and an invalid count is ignored", () => {
  expect(readMessagesUsage(null)).toBeNull();
  expect(readMessagesUsage({ output_tokens: 4 })).toMatchObject({ input: "none", quantities: { output: 4 } });
  expect(readMessagesUsage({ input_tokens: -1, output_tokens: 1.5 })).toMatchObject({ input: "none", output: "none" });
});

test("a later object changes only the fields that it has", () => {
  expect(joinUsage({ input_tokens: 43, output_tokens: 1 }, { input_tokens: null, output_tokens: 61 })).toEqual({
    input_tokens: 43,
    output_tokens: 61,
  });
});

test("a side of zeros does not replace earlier counts", () => {
  const known = { input_tokens: 43, cache_read_input_tokens: 40, output_tokens: 1 };
  expect(joinUsage(known, { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 61 })).toEqual({
    ...known,
    output_tokens: 61,
  });
  // A whole prompt from a cache, after an estimate.
  const cached = { input_tokens: 0, cache_read_input_tokens: 50, output_tokens: 2 };
  expect(joinUsage({ input_tokens: 43, output_tokens: 1 }, cached)).toEqual(cached);
});

test("searches of the hosted tool are a separate dimension, and are reported to callers", () => {
  const usage = {
    input_tokens: 27_118,
    output_tokens: 600,
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
  };
  const read = readMessagesUsage(usage);
  expect(read?.quantities).toEqual({ input: 27_118, output: 600, web_search: 2 });
  expect(read && writeMessagesUsage(read)).toMatchObject(usage);
});

test("usage written and read again is the same", () => {
  fc.assert(
    fc.property(fc.oneof(reportedUsage("split"), reportedUsage("plain")), (usage) => {
      const read = readMessagesUsage(writeMessagesUsage(usage));
      expect({ ...read, raw: {} } as unknown).toEqual(usage);
    }),
  );
});
