import { describe, expect, test } from "bun:test";
import type { Part } from "../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../conversation/request.ts";
import type { EncodeTarget } from "../../codec.ts";
import { encodeMessagesRequest } from "./encode-request.ts";

const target: EncodeTarget = { model: "claude-opus-4-8", maxOutputTokens: null };
const budgetTarget: EncodeTarget = { model: "claude-sonnet-4-5", maxOutputTokens: null };

const text = (value: string): Part => ({ type: "text", text: value, path: `text:${value}` });
const user: Message = { role: "user", parts: [text("Hello")] };
const call = (id: string, input = "{}"): Part => ({
  type: "tool-call",
  kind: "function",
  id,
  name: "find",
  input,
  path: `call:${id}`,
});
const result = (callId: string, words: string): Part => ({
  type: "tool-result",
  callId,
  parts: words === "" ? [] : [{ type: "text", text: words }],
});
const find = { type: "function", name: "find" } as const;

function encode(settings: Partial<ConversationRequest>, to = target) {
  return encodeMessagesRequest({ model: "m", stream: false, messages: [user], spelling: {}, ...settings }, to);
}

describe("messages", () => {
  test("leading instructions are hoisted, later ones keep their place", () => {
    const { body } = encode({
      messages: [
        { role: "system", parts: [text("One.")] },
        { role: "developer", parts: [text("Two.")] },
        user,
        { role: "system", parts: [text("Three.")] },
      ],
    });
    expect(body.system).toEqual([
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
    ]);
    expect(body.messages).toEqual([
      { role: "user", content: "Hello" },
      { role: "system", content: "Three." },
    ]);
  });

  test("an assistant message of tool calls has no text block, and all results are in one message before the user's text", () => {
    const { body } = encode({
      messages: [
        user,
        { role: "assistant", parts: [call("a"), call("b")] },
        { role: "tool", parts: [result("a", "1"), result("b", "")] },
        { role: "user", parts: [text("And?")] },
      ],
    });
    expect(JSON.parse(JSON.stringify(body.messages))).toEqual([
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "find", input: {} },
          { type: "tool_use", id: "b", name: "find", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "1" },
          { type: "tool_result", tool_use_id: "b" },
          { type: "text", text: "And?" },
        ],
      },
    ]);
  });

  test("blank text is left out with a warning, and a message that was only blank with it", () => {
    const { body, warnings } = encode({ messages: [user, { role: "assistant", parts: [text(" \n")] }, user] });
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hello" },
          { type: "text", text: "Hello" },
        ],
      },
    ]);
    expect(warnings).toEqual(["text: \n"]);
  });

  test("an empty conversation is refused", () => {
    expect(() => encode({ messages: [{ role: "user", parts: [] }] })).toThrow("messages");
  });

  test("ids outside the vendor's alphabet are mapped alike for a call and its result", () => {
    const odd = "call:1/é|".repeat(30);
    const { body } = encode({
      messages: [user, { role: "assistant", parts: [call(odd)] }, { role: "tool", parts: [result(odd, "1")] }],
    });
    const [, made, answered] = body.messages as { content: { id?: string; tool_use_id?: string }[] }[];
    expect(made?.content[0]?.id).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    expect(answered?.content[0]?.tool_use_id).toBe(made?.content[0]?.id ?? "");
  });

  test("arguments that are no object are shown to the model with a warning", () => {
    const { body, warnings } = encode({ messages: [user, { role: "assistant", parts: [call("a", '{"x": 1')] }, user] });
    const [, made] = body.messages as { content: { input?: unknown }[] }[];
    expect(made?.content[0]?.input).toEqual({ arguments: '{"x": 1' });
    expect(warnings).toEqual(["call:a"]);
  });

  test("at most four cache breakpoints are sent", () => {
    const marked: Part = { type: "text", text: "More.", cache: { lifetime: "12h" }, path: "p" };
    const { body, warnings } = encode({
      messages: [{ role: "user", parts: [marked, marked, marked, marked, marked] }],
    });
    const [message] = body.messages as { content: { cache_control?: unknown }[] }[];
    expect(message?.content.map((block) => block.cache_control)).toEqual([
      ...Array.from({ length: 4 }, () => ({ type: "ephemeral", ttl: "1h" })),
      undefined,
    ]);
    expect(warnings).toEqual(["p"]);
  });

  test("an image of a kind the vendor does not read is refused by its path", () => {
    const image: Part = { type: "image", source: { type: "data", mediaType: "image/tiff", base64: "" }, path: "here" };
    expect(() => encode({ messages: [{ role: "user", parts: [image] }] })).toThrow(
      expect.objectContaining({ param: "here", code: "unsupported_parameter" }),
    );
  });
});

describe("settings", () => {
  test("a maximum is always sent: the caller's, the catalog's, or one that leaves room beside thinking", () => {
    expect(encode({ maxOutputTokens: 7 }).body.max_tokens).toBe(7);
    expect(encode({}, { ...target, maxOutputTokens: 64_000 }).body.max_tokens).toBe(64_000);
    expect(encode({}).body.max_tokens).toBe(4_096);
    expect(encode({ reasoning: { budgetTokens: 10_000 } }, budgetTarget).body.max_tokens).toBe(14_096);
  });

  test("temperature is at most 1, and not sent along with thinking", () => {
    expect(encode({ temperature: 1.5 }, budgetTarget)).toMatchObject({
      body: { temperature: 1 },
      warnings: ["temperature"],
    });
    const thinking = encode({ temperature: 0.5, topP: 0.5, reasoning: { effort: "low" } }, budgetTarget);
    expect(thinking.body.temperature).toBeUndefined();
    expect(thinking.body.top_p).toBeUndefined();
    expect(thinking.warnings).toEqual(["temperature", "topP"]);
  });

  test("stop sequences of white space are left out", () => {
    expect(encode({ stop: ["\n", "END"] })).toMatchObject({ body: { stop_sequences: ["END"] }, warnings: ["stop"] });
  });

  test("parallel calls are disabled in the tool choice, which is added if there is none", () => {
    const { body } = encode({ tools: [find], parallelToolCalls: false });
    expect(body.tool_choice).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(encode({ parallelToolCalls: false }).body.tool_choice).toBeUndefined();
  });

  test("a choice among some tools sends these alone", () => {
    const other = { ...find, name: "other" };
    const { body } = encode({
      tools: [find, other],
      toolChoice: { type: "allowed", mode: "required", names: ["other"] },
    });
    expect(body.tools).toMatchObject([{ name: "other" }]);
    expect(body.tool_choice).toEqual({ type: "any" });
  });

  test("a tool without parameters takes an empty object", () => {
    expect(encode({ tools: [find] }).body.tools).toMatchObject([{ input_schema: { type: "object", properties: {} } }]);
  });

  test("an output schema is fitted to the vendor's subset", () => {
    const schema = {
      $schema: "x",
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0 },
        kind: {
          oneOf: [
            { type: "string", format: "uri" },
            { type: "string", format: "regex" },
          ],
        },
      },
      required: ["age"],
    };
    const { body } = encode({ responseFormat: { type: "schema", schema } });
    expect(body.output_config).toEqual({
      effort: undefined,
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: {
            age: { type: "integer", description: "{minimum: 0}" },
            kind: {
              anyOf: [
                { type: "string", format: "uri" },
                { type: "string", description: '{format: "regex"}' },
              ],
            },
          },
          required: ["age"],
          additionalProperties: false,
        },
      },
    });
  });
});

describe("thinking", () => {
  test("newer models are sent an effort, older ones a budget within the maximum", () => {
    expect(encode({ reasoning: { effort: "minimal" } }).body).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    });
    expect(encode({ reasoning: { effort: "high" }, maxOutputTokens: 2_000 }, budgetTarget).body.thinking).toEqual({
      type: "enabled",
      budget_tokens: 1_999,
      display: undefined,
    });
  });

  test("a maximum below the minimum budget leaves thinking out with a warning", () => {
    const { body, warnings } = encode({ reasoning: { effort: "high" }, maxOutputTokens: 1_000 }, budgetTarget);
    expect(body.thinking).toBeUndefined();
    expect(warnings).toEqual(["reasoning.effort"]);
  });

  test("thinking is left out if a tool is forced, because the vendor refuses both together", () => {
    const { body, warnings } = encode({
      tools: [find],
      toolChoice: { type: "required" },
      reasoning: { effort: "high" },
    });
    expect(body.thinking).toBeUndefined();
    expect(body.tool_choice).toEqual({ type: "any" });
    expect(warnings).toEqual(["reasoning.effort"]);
  });

  test("in a tool loop whose thinking is lost, a model that requires it back is asked without thinking", () => {
    const loop: Message[] = [
      user,
      { role: "assistant", parts: [call("a")] },
      { role: "tool", parts: [result("a", "1")] },
    ];
    expect(encode({ messages: loop, reasoning: { effort: "low" } }, budgetTarget)).toMatchObject({
      warnings: ["reasoning.effort"],
    });
    const signed: Part = { type: "reasoning", text: "Hm.", signature: { vendor: "anthropic", value: "s" } };
    const kept = loop.with(1, { role: "assistant", parts: [signed, call("a")] });
    const { body } = encode({ messages: kept, reasoning: { effort: "low" } }, budgetTarget);
    expect(body.thinking).toMatchObject({ type: "enabled" });
    expect(body.messages).toMatchObject([
      {},
      { content: [{ type: "thinking", thinking: "Hm.", signature: "s" }, { type: "tool_use" }] },
      {},
    ]);
  });
});
