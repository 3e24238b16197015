import { expect, test } from "bun:test";
import { Refusal } from "../refusal.ts";
import { checkRequest, checkStrictly } from "./check-request.ts";

const model = "sandbox-chat";
const messages = [{ role: "user", content: "Hi" }];
const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };

function refusalOf(check: () => void): Refusal["failure"] | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.failure;
    throw error;
  }
}

test.each([
  [{ messages }, null],
  [{ model: 5, messages }, "model"],
  [{ model }, "messages"],
  [{ model, messages: [] }, "messages"],
  [{ model, messages: "Hi" }, "messages"],
  [{ model, messages: ["Hi"] }, "messages[0]"],
  [{ model, messages: [{ content: "Hi" }] }, "messages[0].role"],
  [{ model, messages: [{ role: "robot", content: "Hi" }] }, "messages[0].role"],
  [{ model, messages: [{ role: "user" }] }, "messages[0].content"],
  [{ model, messages: [{ role: "user", content: null }] }, "messages[0].content"],
  [{ model, messages: [{ role: "user", content: [{ type: "video" }] }] }, "messages[0].content[0].type"],
  [{ model, messages: [{ role: "user", content: [{ type: "text" }] }] }, "messages[0].content[0].text"],
  [{ model, messages: [{ role: "tool", content: "1" }] }, "messages[0].tool_call_id"],
  [{ model, messages: [{ role: "tool", content: "1", tool_call_id: "c1" }] }, "messages.[0].role"],
  [{ model, messages: [{ role: "assistant", tool_calls: [call] }] }, "messages.[1].role"],
  [
    { model, messages: [{ role: "assistant", tool_calls: [{ ...call, id: "x".repeat(65) }] }] },
    "messages[0].tool_calls[0].id",
  ],
  [{ model, messages, max_tokens: 0 }, "max_tokens"],
  [{ model, messages, max_completion_tokens: "10" }, "max_completion_tokens"],
  [{ model, messages, max_tokens: 1.5 }, "max_tokens"],
  [{ model, messages, temperature: 2.1 }, "temperature"],
  [{ model, messages, n: 0 }, "n"],
  [{ model, messages, stream: "yes" }, "stream"],
  [{ model, messages, stream_options: { include_usage: true } }, "stream_options"],
  [{ model, messages, stop: ["1", "2", "3", "4", "5"] }, "stop"],
  [{ model, messages, tools: [] }, "tools"],
  [{ model, messages, tools: [{ ...tool, function: { name: "a b" } }] }, "tools[0].function.name"],
  [{ model, messages, tool_choice: "required" }, "tool_choice"],
  [{ model, messages, tools: [tool], tool_choice: { type: "function", function: { name: "g" } } }, "tool_choice"],
  [{ model, messages, response_format: { type: "xml" } }, "response_format.type"],
  [{ model, messages, response_format: { type: "json_schema" } }, "response_format.json_schema"],
  [{ model, messages, top_logprobs: 2 }, "top_logprobs"],
])("%j is rejected with the name of the field", (body, param) => {
  expect(refusalOf(() => checkRequest(body))).toMatchObject({ status: 400, param });
});

test("a complete tool loop, nulls and unknown parameters are accepted", () => {
  const loop = [
    ...messages,
    { role: "assistant", content: null, tool_calls: [call, { ...call, id: "c2" }] },
    { role: "tool", tool_call_id: "c2", content: "2" },
    { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "1" }] },
    { role: "assistant", content: "Done" },
    { role: "user", content: "Thanks" },
  ];
  expect(refusalOf(() => checkRequest({ model, messages: loop, temperature: null, house_rule: 1 }))).toBeNull();
});

test("strict mode rejects unknown parameters, and JSON mode without the word json", () => {
  expect(refusalOf(() => checkStrictly({ model, messages, house_rule: 1 }))).toMatchObject({ param: "house_rule" });
  const body = { model, messages, response_format: { type: "json_object" } };
  expect(refusalOf(() => checkStrictly(body))).toMatchObject({ param: "messages" });
  expect(refusalOf(() => checkStrictly({ model, messages, n: 1 }))).toBeNull();
});
