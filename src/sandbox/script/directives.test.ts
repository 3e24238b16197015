import { expect, test } from "bun:test";
import { readDirectives } from "./directives.ts";
import type { Prompt, PromptMessage } from "../prompt.ts";
import { Refusal } from "../refusal.ts";

const message = (role: PromptMessage["role"], text: string): PromptMessage => ({
  role,
  text,
  attachments: [],
  toolCalls: [],
  toolCallId: null,
});

const ask = (...messages: PromptMessage[]): Prompt => ({
  model: "sandbox-chat",
  messages,
  tools: [],
  toolChoice: { mode: "auto" },
  parallelTools: true,
  format: { kind: "text" },
  maxTokens: null,
  stop: [],
  choices: 1,
  cacheKey: null,
  reasoning: true,
});

test("a directive is removed from the message", () => {
  const prompt = ask(message("user", 'Hello [[sandbox: {"text": "a ]] } b", "chunks": [["x"][0]]}]] you'));
  expect(() => readDirectives(prompt, {}, undefined)).toThrow(Refusal);
  const good = ask(message("user", 'Hello [[sandbox: {"text": "a ]] } \\" b", "chunks": ["x", "y"]}]]'));
  const directed = readDirectives(good, {}, undefined);
  expect(directed.prompt.messages[0]?.text).toBe("Hello");
  expect(directed.script).toEqual({ text: 'a ]] } " b', chunks: ["x", "y"] });
});

test("the message takes precedence over the field, and the field over the model", () => {
  const prompt = ask(message("user", '[[sandbox: {"text": "c"}]]'));
  const { script } = readDirectives(
    prompt,
    { text: "a", latency_ms: 1, chunk_delay_ms: 1 },
    { text: "b", latency_ms: 2 },
  );
  expect(script).toEqual({ text: "c", latency_ms: 2, chunk_delay_ms: 1 });
});

test.each([
  [{ fault: { kind: "nope" } }, "sandbox.fault.kind"],
  [{ latency_ms: -1 }, "sandbox.latency_ms"],
  [{ framing: { split: 0 } }, "sandbox.framing.split"],
  [{ headers: { "x-a": "b\r\nc: d" } }, "sandbox.headers.x-a"],
  ["text", "sandbox"],
])("an invalid directive is rejected by name: %j", (field, param) => {
  const refused = (() => {
    try {
      readDirectives(ask(message("user", "Hi")), {}, field);
    } catch (error) {
      return error;
    }
    return null;
  })();
  expect(refused).toBeInstanceOf(Refusal);
  expect((refused as Refusal).failure).toMatchObject({ status: 400, param });
});

test("an unclosed directive is rejected", () => {
  expect(() => readDirectives(ask(message("user", '[[sandbox: {"text": "x"}')), {}, undefined)).toThrow("not JSON");
});

test("in a tool loop calls are made once, and turns set the next steps", () => {
  const calls = { tool_calls: [{ name: "f", arguments: {} }], text: "done" };
  const loop = ask(message("user", "Hi"), message("assistant", ""), message("tool", "1"));
  expect(readDirectives(ask(message("user", "Hi")), calls, undefined).script.tool_calls).toHaveLength(1);
  expect(readDirectives(loop, calls, undefined).script).toEqual({ text: "done" });
  const turns = { turns: [{ text: "first" }, { text: "second" }], latency_ms: 3 };
  expect(readDirectives(loop, {}, turns).script).toEqual({ text: "second", latency_ms: 3 });
});
