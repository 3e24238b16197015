import { expect, test } from "bun:test";
import type { StreamEvent } from "../../../conversation/stream.ts";
import { GatewayError } from "../../../errors.ts";
import { openMessagesStreamEncoder } from "./encode-stream.ts";
import { exampleUsage } from "../../../conversation/usage.testkit.ts";

const context = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 12 };

/** The events of the wire: each has a name that is its type. */
function encode(events: readonly StreamEvent[]): Record<string, unknown>[] {
  const encoder = openMessagesStreamEncoder(context);
  const wire = events.map((event) => encoder.push(event)).join("") + encoder.terminator();
  return wire
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const [, name, data] = /^event: (\w+)\ndata: (.+)$/.exec(event) ?? [];
      const fields = JSON.parse(data ?? "") as Record<string, unknown>;
      expect(fields.type).toBe(name);
      return fields;
    });
}

const start: StreamEvent = { type: "response-start", id: "msg_1", model: null, created: null };
const at = (index: number) => ({ candidate: 0, index });
const call = (index: number): StreamEvent => ({
  type: "part-start",
  ...at(index),
  part: { type: "tool-call", kind: "function", id: `c${index}`, name: "find", input: "" },
});
const end: StreamEvent[] = [
  { type: "finish", candidate: 0, finish: { reason: "tool-calls" } },
  {
    type: "usage",
    usage: exampleUsage({ input: 5, cache_read: 3, output: 7 }, { reasoning: 2 }),
  },
  { type: "response-end" },
];

test("the first event carries the estimate, and the last but one the true usage with the stop reason", () => {
  const events = encode([start, ...end]);
  expect(events.map((event) => event.type)).toEqual(["message_start", "message_delta", "message_stop"]);
  expect(events[0]).toMatchObject({
    message: { id: "msg_1", model: "m", content: [], usage: { input_tokens: 12 } },
  });
  expect(events[1]).toMatchObject({
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 7 },
  });
});

test("parallel calls whose arguments interleave become one block after another", () => {
  const events = encode([
    start,
    call(0),
    { type: "input-delta", ...at(0), input: '{"a":' },
    call(1),
    { type: "input-delta", ...at(1), input: '{"b":' },
    { type: "input-delta", ...at(0), input: "1}" },
    { type: "input-delta", ...at(1), input: "2}" },
    { type: "part-end", ...at(0) },
    { type: "part-end", ...at(1) },
    ...end,
  ]);
  const blocks = events.filter((event) => String(event.type).startsWith("content_block"));
  expect(blocks.map((event) => [event.type, event.index])).toEqual([
    ["content_block_start", 0],
    ...Array.from({ length: 3 }, () => ["content_block_delta", 0]),
    ["content_block_stop", 0],
    ["content_block_start", 1],
    ...Array.from({ length: 3 }, () => ["content_block_delta", 1]),
    ["content_block_stop", 1],
  ]);
  const input = (index: number) =>
    blocks
      .filter((event) => event.index === index && event.type === "content_block_delta")
      .map((event) => (event.delta as { partial_json: string }).partial_json)
      .join("");
  expect([input(0), input(1)]).toEqual(['{"a":1}', '{"b":2}']);
});

test("another vendor's signature on a tool call is written as a separate block before it", () => {
  const events = encode([
    start,
    {
      type: "part-start",
      ...at(0),
      part: {
        type: "tool-call",
        kind: "function",
        id: "c",
        name: "find",
        input: "{}",
        signature: { vendor: "google", value: "s" },
      },
    },
    { type: "part-end", ...at(0) },
    ...end,
  ]);
  const blocks = events.filter((event) => event.type === "content_block_start");
  expect(blocks).toMatchObject([
    { index: 0, content_block: { type: "redacted_thinking" } },
    { index: 1, content_block: { type: "tool_use", id: "c", name: "find", input: {} } },
  ]);
});

test("a stream that breaks off ends with an error event", () => {
  const error = GatewayError.of("idle_timeout", "Too slow.");
  expect(openMessagesStreamEncoder(context).fail(error, "req_1")).toBe(
    'event: error\ndata: {"type":"error","error":{"type":"timeout_error","message":"Too slow."},"request_id":"req_1"}\n\n',
  );
});
