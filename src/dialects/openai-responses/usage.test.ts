import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { reportedUsage } from "../../conversation/arbitraries.testkit.ts";
import { readResponsesUsage, writeResponsesUsage } from "./usage.ts";
import { exampleUsage } from "../../conversation/usage.testkit.ts";
import { sumOf } from "../../dimensions.ts";

const read = (usage: unknown) => readResponsesUsage({ usage });

test("cached tokens are subtracted from the input, reasoning stays in the output", () => {
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
  const quantities = { input: 86, cache_read: 7, cache_write: 3207, output: 50 };
  expect(read(raw)).toEqual(exampleUsage(quantities, { reasoning: 20, raw }));
});

test("cached tokens above the input are not subtracted", () => {
  const raw = { input_tokens: 10, input_tokens_details: { cached_tokens: 30 }, output_tokens: 1 };
  expect(read(raw)?.quantities).toEqual({ input: 10, cache_read: 30, output: 1 });
});

test("an absent side or an invalid count is not reported", () => {
  expect(read({ output_tokens: 3 })).toMatchObject({ input: "none", quantities: { output: 3 }, reasoning: null });
  expect(read({ input_tokens: -1, output_tokens: 1.5 })).toMatchObject({ input: "none", output: "none" });
  expect(read(null)).toBeNull();
  expect(read({})).toBeNull();
});

test("usage of any dialect is written inclusive, and its total is its sum", () => {
  fc.assert(
    fc.property(fc.oneof(reportedUsage("plain"), reportedUsage("split")), (usage) => {
      const written = writeResponsesUsage(usage);
      const { input, cache_read, output } = usage.quantities;
      const prompt = sumOf(usage.quantities, "token", "input");
      expect(written.input_tokens).toBe(prompt);
      expect(written.total_tokens).toBe(prompt + (output ?? 0));
      expect(read(written)?.quantities).toMatchObject(JSON.parse(JSON.stringify({ input, cache_read, output })));
    }),
  );
});

test("a missing side is written as 0", () => {
  expect(writeResponsesUsage(exampleUsage({}))).toEqual({
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  });
});

test("searches are counted as reported, else by the items that are charged", () => {
  const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
  const open = { ...search, action: { type: "open_page", url: "https://example.com" } };
  const failed = { ...search, status: "failed" };
  const output = [search, open, failed, { type: "web_search_call" }, { type: "message" }, null];
  const usage = { input_tokens: 3, output_tokens: 4 };
  expect(readResponsesUsage({ usage, output })?.quantities).toEqual({ input: 3, output: 4, web_search: 2 });
  const told = { web_search: { num_requests: 1 } };
  expect(readResponsesUsage({ usage, output, tool_usage: told })?.quantities.web_search).toBe(1);
  expect(readResponsesUsage({ usage, output: [] }, 2)?.quantities.web_search).toBe(2);
  expect(readResponsesUsage({ output })).toMatchObject({
    input: "none",
    output: "none",
    quantities: { web_search: 2 },
  });
});
