import { expect, test } from "bun:test";
import { reviewRequest } from "../../../conversation/fields/support.ts";
import { chatCodec } from "../../openai-chat/conversation/codec.ts";
import { decodeMessagesRequest } from "./decode-request.ts";

const body = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] };

const malformed: readonly (readonly [object, param: string])[] = [
  [{ max_tokens: undefined }, "max_tokens"],
  [{ max_tokens: "ten" }, "max_tokens"],
  [{ messages: undefined }, "messages"],
  [{ messages: [] }, "messages"],
  [{ messages: [1] }, "messages[0]"],
  [{ messages: [{ content: "a" }] }, "messages[0].role"],
  [{ messages: [{ role: "tool", content: "a" }] }, "messages[0].role"],
  [{ messages: [{ role: "user" }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: [{ type: "text" }] }] }, "messages[0].content[0].text"],
  [{ messages: [{ role: "user", content: [{ type: "image", source: {} }] }] }, "messages[0].content[0].source.type"],
  [
    { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f" }] }] },
    "messages[0].content[0].input",
  ],
  [{ system: 1 }, "system"],
  [{ tools: [{ name: "f" }] }, "tools[0].input_schema"],
  [{ tool_choice: { type: "some" } }, "tool_choice.type"],
  [{ thinking: { type: "enabled" } }, "thinking.budget_tokens"],
  [{ output_config: { effort: "huge" } }, "output_config.effort"],
  [{ temperature: "hot" }, "temperature"],
  [{ stop_sequences: [1] }, "stop_sequences[0]"],
];

for (const [change, param] of malformed) {
  test(`${JSON.stringify(change)} is refused, naming ${param}`, () => {
    expect(() => decodeMessagesRequest({ ...body, ...change })).toThrow(
      expect.objectContaining({ status: 400, param }),
    );
  });
}

test("tool results become a separate message, before the user's other content", () => {
  const { messages } = decodeMessagesRequest({
    ...body,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "And?" },
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "1" }], is_error: true },
          { type: "tool_result", tool_use_id: "b" },
        ],
      },
    ],
  });
  expect(messages).toMatchObject([
    {
      role: "tool",
      parts: [
        { callId: "a", parts: [{ type: "text", text: "1" }], isError: true, path: "messages[0].content[1]" },
        { callId: "b", parts: [] },
      ],
    },
    { role: "user", parts: [{ text: "And?", path: "messages[0].content[0]" }] },
  ]);
});

test("fields that no dialect knows are named by their path", () => {
  const { unknownFields } = decodeMessagesRequest({
    ...body,
    new_field: 1,
    metadata: { user_id: "u", team: "t" },
    tools: [{ name: "f", input_schema: {}, defer_loading: true }],
  });
  expect(unknownFields).toEqual(["new_field", "metadata.team", "tools[0].defer_loading"]);
});

test("ignored fields cause warnings and unsupported ones a refusal, both with the caller's paths", () => {
  const column = chatCodec.provider.support("gpt-4.1");
  const ignored = decodeMessagesRequest({
    ...body,
    top_k: 5,
    system: [{ type: "text", text: "Hi.", cache_control: { type: "ephemeral" } }],
    thinking: { type: "adaptive" },
  });
  expect(reviewRequest(ignored, column)).toEqual({
    refusal: null,
    warnings: ["system[0].cache_control", "top_k", "thinking"],
  });
  const refused = decodeMessagesRequest({ ...body, tools: [{ type: "web_search_20260209", name: "web_search" }] });
  expect(reviewRequest(refused, column).refusal?.path).toBe("tools[0]");
});
