import { expect, test } from "bun:test";
import { reviewRequest } from "../../../../conversation/fields/support.ts";
import { messagesCodec } from "../../../anthropic-messages/codec.ts";
import { decodeChatRequest } from "./decode-request.ts";

const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const assistant = (fields: object) => ({ messages: [{ role: "assistant", ...fields }] });

const malformed: readonly (readonly [object, param: string])[] = [
  [{ messages: undefined }, "messages"],
  [{ messages: [] }, "messages"],
  [{ messages: [null] }, "messages[0]"],
  [{ messages: [{ role: "robot", content: "a" }] }, "messages[0].role"],
  [{ messages: [{ role: "user", content: 1 }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: [{ type: "text" }] }] }, "messages[0].content[0].text"],
  [{ messages: [{ role: "user", content: [{ type: "image_url" }] }] }, "messages[0].content[0].image_url"],
  [{ messages: [{ role: "tool", content: "a" }] }, "messages[0].tool_call_id"],
  [assistant({ tool_calls: [{ id: "a", type: "function" }] }), "messages[0].tool_calls[0].function"],
  [{ tools: [{ type: "function", function: {} }] }, "tools[0].function.name"],
  [{ tool_choice: "maybe" }, "tool_choice"],
  [{ tool_choice: { type: "allowed_tools" } }, "tool_choice.allowed_tools"],
  [{ response_format: { type: "xml" } }, "response_format.type"],
  [{ reasoning_effort: "huge" }, "reasoning_effort"],
  [{ max_tokens: 1.5 }, "max_tokens"],
  [{ stop: [1] }, "stop[0]"],
  [{ n: "2" }, "n"],
  [{ metadata: { a: 1 } }, "metadata.a"],
];

for (const [change, param] of malformed) {
  test(`${JSON.stringify(change)} is refused, naming ${param}`, () => {
    expect(() => decodeChatRequest({ ...body, ...change })).toThrow(expect.objectContaining({ status: 400, param }));
  });
}

test("tool messages that follow each other are one message with all results", () => {
  const { messages } = decodeChatRequest({
    ...body,
    messages: [
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "2" }] },
      { role: "user", content: "And?" },
    ],
  });
  expect(messages.map(({ role, parts }) => [role, parts.length])).toEqual([
    ["tool", 2],
    ["user", 1],
  ]);
  expect(messages[0]?.parts[1]).toMatchObject({ callId: "b", path: "messages[1]", parts: [{ text: "2" }] });
});

test("the deprecated functions are tools", () => {
  const request = decodeChatRequest({
    ...body,
    messages: [
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "1" },
    ],
    functions: [{ name: "f", parameters: { type: "object" } }],
    function_call: { name: "f" },
  });
  expect(request.tools).toMatchObject([{ type: "function", name: "f", path: "functions[0]" }]);
  expect(request.toolChoice).toEqual({ type: "tool", kind: "function", name: "f" });
  expect(request.messages).toMatchObject([
    { role: "assistant", parts: [{ type: "tool-call", id: "call_f" }] },
    { role: "tool", parts: [{ type: "tool-result", callId: "call_f" }] },
  ]);
});

test("reasoning keeps its place among the parts of a message that is sent back", () => {
  const detail = { type: "reasoning.text", format: "anthropic-claude-v1" };
  const { messages } = decodeChatRequest({
    ...body,
    ...assistant({
      content: "So.",
      reasoning_content: "Hm.Ah.",
      reasoning_details: [
        { ...detail, text: "Hm.", signature: "s1", index: 0 },
        { ...detail, text: "Ah.", signature: "s2", index: 2 },
      ],
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    }),
  });
  expect(messages[0]?.parts).toMatchObject([
    { type: "reasoning", text: "Hm.", signature: { vendor: "anthropic", value: "s1" } },
    { type: "text", text: "So." },
    { type: "reasoning", text: "Ah.", signature: { vendor: "anthropic", value: "s2" } },
    { type: "tool-call", id: "a" },
  ]);
});

test("ignored fields cause warnings with the caller's paths", () => {
  const request = decodeChatRequest({
    ...body,
    logit_bias: { "1": 2 },
    seed: 4,
    n: 1,
    brand_new: true,
    tools: [{ type: "function", function: { name: "f", strict: true } }],
  });
  const column = messagesCodec.provider.support("claude-sonnet-4");
  expect(reviewRequest(request, column)).toEqual({
    refusal: null,
    warnings: ["tools[0].function.strict", "seed", "logit_bias", "brand_new"],
  });
});

test("fields within messages, parts and tools that no dialect knows are named", () => {
  const { unknownFields } = decodeChatRequest({
    ...body,
    messages: [{ role: "user", mood: 1, content: [{ type: "text", text: "a", weight: 2 }] }],
    tools: [{ type: "function", function: { name: "f", async: true } }],
  });
  expect(unknownFields).toEqual(["messages[0].mood", "messages[0].content[0].weight", "tools[0].function.async"]);
});

test("a limit is named as the caller wrote it", () => {
  expect(decodeChatRequest({ ...body, max_tokens: 5 }).spelling.maxOutputTokens).toBe("max_tokens");
  const both = decodeChatRequest({ ...body, max_tokens: 5, max_completion_tokens: 6 });
  expect([both.maxOutputTokens, both.spelling.maxOutputTokens]).toEqual([6, "max_completion_tokens"]);
});
