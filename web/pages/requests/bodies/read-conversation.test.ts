import { expect, test } from "bun:test";
import { type MessagePart, readConversation } from "./read-conversation.ts";

const whole = (body: unknown) => readConversation(JSON.stringify(body), false);
const stream = (...events: readonly object[]) =>
  readConversation(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), true);
const said = (role: string, text: string, kind: MessagePart["kind"] = "text", name: string | null = null) => ({
  role,
  parts: [{ kind, name, text }],
});

test("requests of each dialect are read as messages", () => {
  expect(
    whole({
      model: "m",
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: [{ type: "text", text: "Hi" }] },
      ],
    }),
  ).toEqual([said("system", "Be brief"), said("user", "Hi")]);
  expect(whole({ model: "m", system: "Be brief", messages: [{ role: "user", content: "Hi" }] })).toEqual([
    said("system", "Be brief"),
    said("user", "Hi"),
  ]);
  expect(whole({ model: "m", instructions: "Be brief", input: "Hi" })).toEqual([
    said("system", "Be brief"),
    said("user", "Hi"),
  ]);
  expect(
    whole({
      systemInstruction: { parts: [{ text: "Be brief" }] },
      contents: [{ role: "model", parts: [{ text: "Yes" }] }],
    }),
  ).toEqual([said("system", "Be brief"), said("assistant", "Yes")]);
});

test("answers of each dialect are read with their reasoning and calls", () => {
  expect(
    whole({
      choices: [
        {
          message: {
            role: "assistant",
            content: null,
            reasoning_content: "Hm",
            tool_calls: [{ function: { name: "look", arguments: "{}" } }],
          },
        },
      ],
    }),
  ).toEqual([
    { role: "assistant", parts: [...said("", "Hm", "reasoning").parts, ...said("", "{}", "call", "look").parts] },
  ]);
  expect(
    whole({
      type: "message",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm" },
        { type: "text", text: "Yes" },
      ],
    }),
  ).toEqual([{ role: "assistant", parts: [...said("", "Hm", "reasoning").parts, ...said("", "Yes").parts] }]);
  expect(
    whole({
      output: [
        { type: "function_call", name: "look", arguments: "{}" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes" }] },
      ],
    }),
  ).toEqual([said("assistant", "{}", "call", "look"), said("assistant", "Yes")]);
});

test("events of each dialect are put together", () => {
  const delta = (fields: object) => ({ choices: [{ index: 0, delta: fields }] });
  expect(
    stream(
      delta({ role: "assistant", content: "" }),
      delta({ content: "Yes" }),
      delta({ tool_calls: [{ function: { name: "look", arguments: "{}" } }] }),
    ),
  ).toEqual([{ role: "assistant", parts: [...said("", "Yes").parts, ...said("", "{}", "call", "look").parts] }]);
  expect(
    stream(
      { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "Hm" } },
      { type: "content_block_start", content_block: { type: "tool_use", name: "look" } },
      { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: "{}" } },
    ),
  ).toEqual([
    { role: "assistant", parts: [...said("", "Hm", "reasoning").parts, ...said("", "{}", "call", "look").parts] },
  ]);
  expect(
    stream({ type: "response.output_text.delta", delta: "Yes" }, { type: "response.completed", response: {} }),
  ).toEqual([said("assistant", "Yes")]);
  expect(
    stream(
      { candidates: [{ content: { parts: [{ text: "Y" }] } }] },
      { candidates: [{ content: { parts: [{ text: "es" }] } }] },
    ),
  ).toEqual([said("assistant", "Yes")]);
});

test("what is no conversation is none", () => {
  for (const body of [{}, [], "text", null, { query: "tea" }, { model: "m", prompt: "a cat" }])
    expect(whole(body)).toBeNull();
  expect(readConversation("{broken", false)).toBeNull();
  expect(readConversation("data: [DONE]\n\n", true)).toBeNull();
});
