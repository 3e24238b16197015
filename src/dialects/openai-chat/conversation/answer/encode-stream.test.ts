import { expect, test } from "bun:test";
import type { StreamEvent } from "../../../../conversation/stream.ts";
import { openChatStreamEncoder } from "./encode-stream.ts";
import { exampleUsage } from "../../../../conversation/usage.testkit.ts";

const context = { callerBody: {}, model: "m", fallbackId: "1", created: 5, estimatedInputTokens: 1 };
const at = (index: number) => ({ candidate: 0, index });
const usage: StreamEvent = {
  type: "usage",
  usage: exampleUsage(
    { input: 1, cache_read: 2, cache_write: 4, cache_write_5m: 8, cache_write_1h: 16, output: 7 },
    { reasoning: 3 },
  ),
};
const answer: StreamEvent[] = [
  { type: "response-start", id: null, model: null, created: null },
  { type: "part-start", ...at(0), part: { type: "reasoning", text: "" } },
  { type: "text-delta", ...at(0), text: "Hm." },
  { type: "signature-delta", ...at(0), signature: { vendor: "anthropic", value: "s" } },
  { type: "part-end", ...at(0) },
  {
    type: "part-start",
    ...at(1),
    part: {
      type: "tool-call",
      kind: "function",
      id: "a",
      name: "f",
      input: "",
      signature: { vendor: "google", value: "g" },
    },
  },
  { type: "input-delta", ...at(1), input: "{}" },
  { type: "part-end", ...at(1) },
  { type: "finish", candidate: 0, finish: { reason: "tool-calls" } },
  usage,
  { type: "response-end" },
];

function encode(events: readonly StreamEvent[], callerBody = {}): Record<string, unknown>[] {
  const encoder = openChatStreamEncoder({ ...context, callerBody });
  const wire = events.map((event) => encoder.push(event)).join("");
  expect(encoder.terminator()).toBe("data: [DONE]\n\n");
  return wire
    .split("\n\n")
    .flatMap((event) => (event === "" ? [] : [JSON.parse(event.slice(6)) as Record<string, unknown>]));
}

const deltas = (chunks: readonly Record<string, unknown>[]) =>
  chunks.flatMap((chunk) => (chunk.choices as { delta: unknown }[]).map((choice) => choice.delta));

test("tool calls have their own numbers, and signatures are in fields that clients send back", () => {
  const chunks = encode(answer);
  const detail = { type: "reasoning.text", text: "Hm.", signature: "s", format: "anthropic-claude-v1", index: 0 };
  expect(deltas(chunks)).toEqual([
    { role: "assistant", content: "", refusal: null },
    { reasoning_content: "Hm." },
    { reasoning_details: [detail] },
    {
      tool_calls: [
        {
          index: 0,
          id: "a",
          type: "function",
          function: { name: "f", arguments: "" },
          extra_content: { google: { thought_signature: "g" } },
        },
      ],
    },
    { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
    {},
  ]);
  for (const chunk of chunks) expect(chunk).toMatchObject({ id: "chatcmpl-1", created: 5, model: "m" });
  expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
});

test("usage is written only if the caller asked for it, with all input in the prompt's count", () => {
  expect(encode(answer).some((chunk) => "usage" in chunk)).toBe(false);
  const chunks = encode(answer, { stream_options: { include_usage: true } });
  expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: {
      prompt_tokens: 31,
      completion_tokens: 7,
      total_tokens: 38,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 28 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  });
});

test("the vendor's explanation of a refusal is written as its text", () => {
  const finish: StreamEvent = { type: "finish", candidate: 0, finish: { reason: "refusal", explanation: "No." } };
  const [start, end] = [answer[0]!, answer.at(-1)!];
  const chunks = encode([start, finish, end]);
  expect(deltas(chunks)).toContainEqual({ refusal: "No." });
  expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "content_filter" }] });
});
