import { expect, test } from "bun:test";
import type { Part } from "../../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../../conversation/request.ts";
import { encodeChatRequest } from "./encode-request.ts";

const user: Message = { role: "user", parts: [{ type: "text", text: "Hello" }] };

function encode(settings: Partial<ConversationRequest>, model = "gpt-5.7") {
  const request = { model: "m", stream: false, messages: [user], spelling: {}, ...settings };
  const { body, warnings } = encodeChatRequest(request, { model, maxOutputTokens: null });
  return { body: JSON.parse(JSON.stringify(body)) as Record<string, unknown>, warnings };
}

test("usage is always asked for with a stream", () => {
  expect(encode({ stream: true }).body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  expect(encode({}).body).not.toHaveProperty("stream_options");
});

test("each result is a message; content that it cannot hold follows in a user message, before the user's own", () => {
  const result = (callId: string, ...parts: Part[]): Part =>
    ({ type: "tool-result", callId, parts, isError: callId === "b" }) as Part;
  const image: Part = { type: "image", source: { type: "data", mediaType: "image/png", base64: "AA==" } };
  const { body } = encode({
    messages: [
      user,
      {
        role: "tool",
        parts: [
          result("a", { type: "text", text: "1" }, image),
          result("b", { type: "text", text: "Gone." }),
          result("c", image),
        ],
      },
      user,
    ],
  });
  const url = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
  expect(body.messages).toEqual([
    { role: "user", content: "Hello" },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "Error: Gone." },
    { role: "tool", tool_call_id: "c", content: "The result is in the next user message." },
    {
      role: "user",
      content: [
        { type: "text", text: "From the result of tool call a:" },
        url,
        { type: "text", text: "From the result of tool call c:" },
        url,
      ],
    },
    { role: "user", content: "Hello" },
  ]);
});

test("reasoning is sent back only to models that accept it, and only unsigned", () => {
  const parts: Part[] = [
    { type: "reasoning", text: "Hm." },
    { type: "reasoning", text: "Sealed.", signature: { vendor: "anthropic", value: "s" } },
    { type: "tool-call", kind: "function", id: "a", name: "f", input: "{}" },
  ];
  const messages: Message[] = [user, { role: "assistant", parts }, user];
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const sent = (model: string) => (encode({ messages }, model).body.messages as unknown[])[1];
  expect(sent("gpt-5.7")).toEqual({ role: "assistant", content: null, tool_calls: [call] });
  expect(sent("deepseek-chat")).toEqual({
    role: "assistant",
    content: null,
    reasoning_content: "Hm.",
    tool_calls: [call],
  });
});

test("a limit has the name that the model's server knows", () => {
  expect(encode({ maxOutputTokens: 5 }).body.max_completion_tokens).toBe(5);
  expect(encode({ maxOutputTokens: 5 }, "mistral-large").body.max_tokens).toBe(5);
});

test("an effort that the model lacks becomes the nearest one", () => {
  expect(encode({ reasoning: { effort: "max" } }, "o3")).toMatchObject({
    body: { reasoning_effort: "high" },
    warnings: ["reasoning.effort"],
  });
  expect(encode({ reasoning: { effort: "minimal" } }, "o3").body.reasoning_effort).toBe("low");
  expect(encode({ reasoning: { budgetTokens: 9_000 } }).body.reasoning_effort).toBe("medium");
  expect(encode({ reasoning: { enabled: false } }).body.reasoning_effort).toBe("none");
  expect(encode({ reasoning: { effort: "high" } }, "gpt-4.1").body).not.toHaveProperty("reasoning_effort");
});

test("long ids are mapped alike for a call and its result", () => {
  const id = "toolu_".repeat(10);
  const { body } = encode({
    messages: [
      { role: "assistant", parts: [{ type: "tool-call", kind: "function", id, name: "f", input: "{}" }] },
      { role: "tool", parts: [{ type: "tool-result", callId: id, parts: [] }] },
    ],
  });
  const [made, answered] = body.messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
  expect(made?.tool_calls?.[0]?.id).toMatch(/^call_[0-9a-f]{24}$/);
  expect(answered?.tool_call_id).toBe(made?.tool_calls?.[0]?.id ?? "");
});

test("a tool choice or parallel_tool_calls without tools is not sent", () => {
  const { body } = encode({ toolChoice: { type: "auto" }, parallelToolCalls: false });
  expect(body).not.toHaveProperty("tool_choice");
  expect(body).not.toHaveProperty("parallel_tool_calls");
});
