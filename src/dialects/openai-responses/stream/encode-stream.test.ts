import { expect, test } from "bun:test";
import { ResponseStream } from "openai/lib/responses/ResponseStream";
import { eventsOf } from "../../../conversation/events-of.ts";
import type { Part } from "../../../conversation/parts.ts";
import type { ConversationResponse, Finish } from "../../../conversation/response.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";
import { validateStream } from "../../../conversation/validate-stream.testkit.ts";
import { GatewayError, overloaded } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import { encodeResponsesResponse } from "../answer/encode-response.ts";
import { openResponsesStreamEncoder } from "./encode-stream.ts";
import { parseEvents, validateEvents } from "./validate-events.testkit.ts";

const clock = { now: () => 20_000 };
const context = {
  callerBody: { instructions: "Be kind.", stream: true },
  model: "m",
  fallbackId: "abc",
  created: 7,
  estimatedInputTokens: 1,
};

function answer(parts: readonly Part[], finish: Finish = { reason: "stop" }): ConversationResponse {
  return { id: null, model: null, created: null, candidates: [{ parts, finish }], usage: null };
}

function encode(events: readonly StreamEvent[]): JsonObject[] {
  const encoder = openResponsesStreamEncoder(context, clock);
  return parseEvents(events.map((event) => encoder.push(event)).join("") + encoder.terminator());
}

/** Each event as its type without `response.`, and where it stands. */
function outline(events: readonly JsonObject[]): string[] {
  return events.map(({ type, output_index: at }) =>
    `${String(type).replace("response.", "")} ${typeof at === "number" ? at : ""}`.trim(),
  );
}

const reasoning: Part = { type: "reasoning", text: "Hm.", signature: { vendor: "openai", value: "seal" }, id: "rs_9" };
const text: Part = {
  type: "text",
  text: "Hi",
  citations: [{ url: "https://example.com", title: "T", start: 0, end: 2 }],
};
const refusal: Part = { type: "refusal", text: "No." };
const call = (id: string, kind: "function" | "custom" = "function"): Part => ({
  type: "tool-call",
  kind,
  id,
  name: "f",
  input: '{"a":1}',
});
const search: Part = {
  type: "native",
  vendor: "openai",
  value: { id: "ws_1", type: "web_search_call", status: "completed" },
};

test("the events of every type of item are in order", () => {
  const events = encode(eventsOf(answer([reasoning, search, text, refusal, call("a"), call("b", "custom")])));
  validateEvents(events);
  expect(outline(events)).toEqual([
    "created",
    "in_progress",
    "output_item.added 0",
    "reasoning_summary_part.added 0",
    "reasoning_summary_text.delta 0",
    "reasoning_summary_text.done 0",
    "reasoning_summary_part.done 0",
    "output_item.done 0",
    "output_item.added 1",
    "output_item.done 1",
    "output_item.added 2",
    "content_part.added 2",
    "output_text.annotation.added 2",
    "output_text.delta 2",
    "output_text.done 2",
    "content_part.done 2",
    "output_item.done 2",
    "output_item.added 3",
    "content_part.added 3",
    "refusal.delta 3",
    "refusal.done 3",
    "content_part.done 3",
    "output_item.done 3",
    "output_item.added 4",
    "function_call_arguments.delta 4",
    "function_call_arguments.done 4",
    "output_item.done 4",
    "output_item.added 5",
    "custom_tool_call_input.delta 5",
    "custom_tool_call_input.done 5",
    "output_item.done 5",
    "completed",
  ]);
});

test("the last event holds the response that JSON would have been", () => {
  for (const finish of [{ reason: "stop" }, { reason: "length" }, { reason: "content-filter" }] as const) {
    const whole = answer([reasoning, text, call("a")], finish);
    const events = encode(eventsOf(whole));
    const last = JSON.parse(JSON.stringify(encodeResponsesResponse(whole, context, clock))) as JsonObject;
    expect(validateEvents(events)).toEqual(last);
    expect(events.at(-1)?.type).toBe(finish.reason === "stop" ? "response.completed" : "response.incomplete");
  }
});

test("calls whose pieces interleave keep their own item", () => {
  const at = (index: number) => ({ candidate: 0, index });
  const stream: StreamEvent[] = [
    { type: "response-start", id: null, model: null, created: null },
    { type: "part-start", ...at(0), part: { type: "tool-call", kind: "function", id: "a", name: "f", input: "" } },
    { type: "part-start", ...at(1), part: { type: "tool-call", kind: "function", id: "b", name: "g", input: "" } },
    { type: "input-delta", ...at(1), input: '{"b"' },
    { type: "input-delta", ...at(0), input: '{"a"' },
    { type: "input-delta", ...at(1), input: ":2}" },
    { type: "input-delta", ...at(0), input: ":1}" },
    { type: "part-end", ...at(0) },
    { type: "part-end", ...at(1) },
    { type: "finish", candidate: 0, finish: { reason: "tool-calls" } },
    { type: "response-end" },
  ];
  validateStream(stream);
  const { output } = validateEvents(encode(stream));
  expect(output).toMatchObject([
    { type: "function_call", call_id: "a", name: "f", arguments: '{"a":1}' },
    { type: "function_call", call_id: "b", name: "g", arguments: '{"b":2}' },
  ]);
});

test("the official SDK assembles the stream", async () => {
  const events = encode(eventsOf(answer([reasoning, text, refusal, call("a"), call("b", "custom")])));
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  const body = new Blob([lines]).stream();
  const response = await ResponseStream.fromReadableStream(body).finalResponse();
  expect(response.output_text).toBe("Hi");
  expect(response.output.map((item) => item.type)).toEqual([
    "reasoning",
    "message",
    "message",
    "function_call",
    "custom_tool_call",
  ]);
});

test("log probabilities go with the text that follows them", () => {
  const at = { candidate: 0, index: 0 };
  const logprob = (token: string) =>
    ({ type: "logprobs-delta", candidate: 0, logprobs: [{ token, logprob: -1 }] }) as const;
  const events = encode([
    { type: "response-start", id: null, model: null, created: null },
    { type: "part-start", ...at, part: { type: "text", text: "" } },
    logprob("a"),
    { type: "text-delta", ...at, text: "a" },
    logprob("b"),
    { type: "text-delta", ...at, text: "b" },
    { type: "part-end", ...at },
    { type: "finish", candidate: 0, finish: { reason: "stop" } },
    { type: "response-end" },
  ]);
  const tokens = (event: JsonObject) => (event.logprobs as { token: string }[]).map(({ token }) => token);
  const deltas = events.filter((event) => event.type === "response.output_text.delta");
  expect(deltas.map(tokens)).toEqual([["a"], ["b"]]);
  expect(events.filter((event) => event.type === "response.output_text.done").map(tokens)).toEqual([["a", "b"]]);
});

test("the last event waits for the terminator", () => {
  const encoder = openResponsesStreamEncoder(context, clock);
  const pushed = eventsOf(answer([text])).map((event) => encoder.push(event));
  expect(pushed.join("")).not.toContain("response.completed");
  const error = overloaded("storage_unavailable", "It cannot be kept.", 5);
  const [last] = parseEvents(encoder.terminator());
  expect(last).toMatchObject({ type: "response.completed", response: { id: "resp_abc", status: "completed" } });
  // Where it is not sent after all, what is said in its place has its number.
  expect(validateEvents(parseEvents(pushed.join("") + encoder.fail(error, "req_1")))).toMatchObject({
    status: "failed",
  });
});

test("a broken stream ends with an error event and a failed response", () => {
  const encoder = openResponsesStreamEncoder(context, clock);
  const begun = eventsOf(answer([text])).slice(0, 3);
  const error = GatewayError.of("upstream_error", "The provider's connection broke.");
  const sent = begun.map((event) => encoder.push(event)).join("") + encoder.fail(error, "req_1");
  const events = parseEvents(sent);
  expect(events.slice(-2)).toMatchObject([
    {
      type: "error",
      error: {
        type: "upstream_error",
        code: "upstream_error",
        message: "The provider's connection broke.",
        request_id: "req_1",
      },
    },
    {
      type: "response.failed",
      response: { id: "resp_abc", status: "failed", error: { code: "upstream_error" }, instructions: "Be kind." },
    },
  ]);
  expect(validateEvents(events)).toMatchObject({ status: "failed" });
  expect(encoder.terminator()).toBe("");
});

test("a stream that fails at once is opened first", () => {
  const encoder = openResponsesStreamEncoder(context, clock);
  const events = parseEvents(encoder.fail(overloaded("overloaded", "Too much.", 1), "req_1"));
  expect(outline(events)).toEqual(["created", "in_progress", "error", "failed"]);
  validateEvents(events);
});

test("the vendor's explanation of a refusal is written as text", () => {
  const events = encode(eventsOf(answer([], { reason: "refusal", explanation: "Against the rules." })));
  expect(validateEvents(events)).toMatchObject({
    status: "completed",
    output: [{ content: [{ type: "refusal", refusal: "Against the rules." }] }],
  });
});

test("further candidates are left out", () => {
  const whole = answer([text]);
  const events = encode(eventsOf({ ...whole, candidates: [...whole.candidates, ...whole.candidates] }));
  expect(validateEvents(events).output).toHaveLength(1);
});
