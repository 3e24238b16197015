import { describe, expect, test } from "bun:test";
import { openCollector } from "../../../../conversation/collect.ts";
import type { StreamEvent } from "../../../../conversation/stream.ts";
import { validateStream } from "../../../../conversation/validate-stream.testkit.ts";
import { AnswerFault } from "../../../exchange.ts";
import { decodeData } from "../../../stream-bytes.testkit.ts";
import { openChatStreamDecoder } from "./decode-stream.ts";

const chunk = (delta: object, finish_reason: string | null = null, index = 0) =>
  JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index, delta, finish_reason }],
  });
const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
const named = (index: number, args: string) =>
  call(index, { id: `c${index}`, type: "function", function: { name: `f${index}`, arguments: args } });
const args = (index: number, text: string) => call(index, { function: { arguments: text } });

function decode(...data: string[]) {
  const events = decodeData(openChatStreamDecoder(), data);
  validateStream(events);
  const collector = openCollector();
  for (const event of events) collector.push(event);
  return { ...collector.response(), events };
}

const types = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => ("index" in event ? [`${event.type} ${event.index}`] : []));

describe("tool calls", () => {
  test("a first fragment that comes with the name is kept", () => {
    const { candidates } = decode(named(0, '{"a"'), args(0, ":1}"), chunk({}, "tool_calls"), "[DONE]");
    expect(candidates[0]?.parts).toMatchObject([{ id: "c0", name: "f0", input: '{"a":1}' }]);
  });

  test("a call ends as soon as the next one begins", () => {
    const { events } = decode(named(0, "{}"), named(1, ""), args(1, "{}"), chunk({}, "tool_calls"));
    expect(types(events)).toEqual([
      "part-start 0",
      "input-delta 0",
      "part-end 0",
      "part-start 1",
      "input-delta 1",
      "part-end 1",
    ]);
  });

  test("calls whose arguments interleave are separated", () => {
    const { candidates } = decode(
      named(0, '{"a":'),
      named(1, '{"b":'),
      args(0, "1}"),
      args(1, "2}"),
      chunk({}, "tool_calls"),
    );
    expect(candidates[0]?.parts).toMatchObject([{ input: '{"a":1}' }, { input: '{"b":2}' }]);
  });

  test("an empty list beside text is ignored", () => {
    const { candidates } = decode(chunk({ content: "Hi", tool_calls: [] }), chunk({}, "stop"));
    expect(candidates[0]?.parts).toMatchObject([{ type: "text", text: "Hi" }]);
  });

  test("a finish reason of stop with tool calls is corrected", () => {
    expect(decode(named(0, "{}"), chunk({}, "stop")).candidates[0]?.finish.reason).toBe("tool-calls");
  });
});

test("reasoning, text and a refusal become parts in their order", () => {
  const { candidates } = decode(
    chunk({ role: "assistant", content: "", reasoning_content: "" }),
    chunk({ reasoning_content: "H" }),
    chunk({ content: null, reasoning: "m." }),
    chunk({ content: "So." }),
    chunk({ refusal: "No." }),
    chunk({}, "stop"),
  );
  expect(candidates[0]?.parts).toMatchObject([
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "So." },
    { type: "refusal", text: "No." },
  ]);
});

test("[DONE] ends every choice, also those without a finish reason", () => {
  const { candidates } = decode(
    chunk({ content: "a" }, null, 0),
    chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] }, null, 1),
    chunk({ content: "b" }, null, 2),
    chunk({}, "length", 2),
    "[DONE]",
  );
  expect(candidates).toMatchObject([
    { parts: [{ text: "a" }], finish: { reason: "stop" } },
    { parts: [{ type: "tool-call", input: "{}" }], finish: { reason: "tool-calls" } },
    { parts: [{ text: "b" }], finish: { reason: "length" } },
  ]);
});

test("several choices interleave", () => {
  const { candidates } = decode(
    chunk({ content: "a" }, null, 0),
    chunk({ content: "x" }, null, 1),
    chunk({ content: "b" }, null, 0),
    chunk({}, "stop", 1),
    chunk({}, "length", 0),
  );
  expect(candidates).toMatchObject([
    { parts: [{ text: "ab" }], finish: { reason: "length" } },
    { parts: [{ text: "x" }], finish: { reason: "stop" } },
  ]);
});

for (const [what, choices] of [
  ["no choices", []],
  ["choices left out", undefined],
  ["an empty choice", [{ index: 0, delta: {} }]],
] as const) {
  test(`a usage chunk with ${what} is read`, () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    const answer = decode(
      chunk({ content: "a" }),
      chunk({}, "stop"),
      JSON.stringify({ id: "c", choices, usage }),
      "[DONE]",
    );
    expect(answer.usage).toMatchObject({ quantities: { input: 3, output: 4 } });
  });
}

describe("faults", () => {
  test("an end without a finish reason and [DONE], or without any choice", () => {
    expect(() => decode(chunk({ content: "a" }))).toThrow(AnswerFault);
    expect(() => decode("[DONE]")).toThrow(AnswerFault);
  });

  for (const error of [
    { error: { message: "Busy." } },
    { object: "error", message: "Busy." },
    [{ error: { message: "Busy." } }],
  ]) {
    test(`an error in place of a chunk: ${JSON.stringify(error)}`, () => {
      expect(() => decode(chunk({ content: "a" }), JSON.stringify(error))).toThrow(
        expect.objectContaining({ providerError: expect.objectContaining({ message: "Busy." }) }),
      );
    });
  }

  test("a choice out of range, and invalid JSON", () => {
    expect(() => decode(chunk({ content: "a" }, null, 1e9))).toThrow(AnswerFault);
    expect(() => decode("nonsense")).toThrow(AnswerFault);
  });
});
