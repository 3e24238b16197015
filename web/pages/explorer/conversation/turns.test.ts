import { expect, test } from "bun:test";
import { emptyAnswer, type ToolResults, type UserMessage } from "./conversation.ts";
import { type AnswerTurn, messagesOf, openCalls, tokensPerSecond } from "./turns.ts";

const said: UserMessage = { role: "user", text: "Hello", pictures: [] };
const call = { id: "call_1", name: "get_weather", arguments: "{}" };
const results: ToolResults = { role: "tool", results: [{ call, content: "18 degrees" }] };
const answer = (part: Partial<AnswerTurn>): AnswerTurn => {
  return {
    role: "assistant",
    ...emptyAnswer,
    state: "complete",
    error: null,
    requestId: null,
    request: { path: "/v1/messages" },
    timing: { firstMs: 100, totalMs: 600 },
    ...part,
  };
};
const native = [{ type: "thinking", thinking: "Hm", signature: "s" }];

test("a complete answer is repeated as it came", () => {
  const [, repeated] = messagesOf([said, answer({ text: "Hi", native })]);
  expect(repeated).toMatchObject({ text: "Hi", native });
});

test("calls are repeated once they have results", () => {
  const calling = answer({ calls: [call], native });
  expect(messagesOf([said, calling, results])).toMatchObject([said, { calls: [call], native }, results]);
  expect(messagesOf([said, calling, said])).toEqual([said, said]);
  expect(openCalls([said, calling])).toEqual([call]);
  expect(openCalls([said, calling, results])).toEqual([]);
});

test("of an answer that was stopped or failed only the text is repeated", () => {
  for (const state of ["stopped", "failed"] as const) {
    const [, repeated] = messagesOf([said, answer({ state, text: "Hal", native, calls: [call] })]);
    expect(repeated).toMatchObject({ text: "Hal", native: [], calls: [] });
    expect(messagesOf([said, answer({ state, native })])).toEqual([said]);
    expect(openCalls([said, answer({ state, calls: [call] })])).toEqual([]);
  }
});

test("the speed counts from the first token, and is not told of an answer that came at once", () => {
  expect(tokensPerSecond(answer({ outputTokens: 50 }))).toBe(100);
  expect(tokensPerSecond(answer({ outputTokens: null }))).toBeNull();
  expect(tokensPerSecond(answer({ outputTokens: 50, timing: { firstMs: 100, totalMs: 101 } }))).toBeNull();
});
