import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../conversation/arbitraries.testkit.ts";
import type { Message } from "../conversation/request.ts";
import { codecs } from "../dialects/codecs.testkit.ts";
import { quickTokens } from "./estimate.ts";
import { conversationContent } from "./prompt-content.ts";

const target = { model: "m", maxOutputTokens: 1_000 };

const call = fc.record({ name: arbitrary.name, input: arbitrary.toolInput, answer: arbitrary.text });
const conversation = fc
  .record({
    instructions: arbitrary.text,
    asked: arbitrary.text,
    // An address alone does not tell Gemini what is there.
    images: fc.array(
      arbitrary.imagePart.filter(({ source }) => source.type === "data"),
      { maxLength: 2 },
    ),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    tools: fc.array(arbitrary.functionTool, { maxLength: 2 }),
  })
  .map(({ instructions, asked, images, calls, tools }) => {
    const messages: Message[] = [
      { role: "system", parts: [{ type: "text", text: instructions }] },
      { role: "user", parts: [{ type: "text", text: asked }, ...images] },
      {
        role: "assistant",
        parts: calls.map(({ name, input }, index) => ({
          type: "tool-call",
          kind: "function",
          id: `call_${index}`,
          name,
          input,
        })),
      },
      {
        role: "tool",
        parts: calls.map(({ answer }, index) => ({
          type: "tool-result",
          callId: `call_${index}`,
          parts: [{ type: "text", text: answer }],
        })),
      },
    ];
    return arbitrary.requestOf(messages, { tools, maxOutputTokens: 100 });
  });

test("the same content is booked at the same number of tokens in every dialect", () => {
  fc.assert(
    fc.property(conversation, (request) => {
      const expected = quickTokens(conversationContent(request));
      for (const { caller, provider } of Object.values(codecs)) {
        const { body } = provider.encodeRequest(request, target);
        const again = caller.decodeRequest({ model: "m", ...JSON.parse(JSON.stringify(body)) }, { model: "m" });
        expect(quickTokens(conversationContent(again))).toBe(expected);
      }
    }),
  );
});

test("finds text in every part of a chat request that a model reads", () => {
  const body = {
    model: "m",
    messages: [
      { role: "assistant", content: "a", reasoning_content: "b", refusal: "c" },
      { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }] },
      { role: "user", content: "d", name: "e" },
    ],
    tools: [
      { type: "function", function: { name: "f", description: "g", parameters: {} } },
      {
        type: "custom",
        custom: { name: "h", format: { type: "grammar", grammar: { syntax: "lark", definition: "i" } } },
      },
    ],
    web_search_options: {},
    response_format: { type: "json_schema", json_schema: { name: "n", description: "j", schema: { k: 1 } } },
  };
  const request = codecs["openai-chat"].caller.decodeRequest(body, { model: "m" });
  const { texts, images, media, hostedTools } = conversationContent(request);
  expect(texts.filter((text) => text.length === 1).toSorted()).toEqual("abcdefghij".split(""));
  expect(texts).toContain('{"k":1}');
  expect([images, media, hostedTools]).toEqual([0, 1, 1]);
});

describe("the searches that a request allows", () => {
  const searchesOf = (dialect: "anthropic-messages" | "openai-responses", body: object) => {
    const asked = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "a" }], input: "a" };
    return conversationContent(codecs[dialect].caller.decodeRequest({ ...asked, ...body }, { model: "m" })).searches;
  };
  const webSearch = { type: "web_search_20250305", name: "web_search" };

  test("are those of all its search tools, as far as it limits them", () => {
    expect(searchesOf("anthropic-messages", {})).toBe(0);
    expect(searchesOf("anthropic-messages", { tools: [{ ...webSearch, max_uses: 3 }] })).toBe(3);
    expect(searchesOf("anthropic-messages", { tools: [webSearch] })).toBe(100);
    expect(searchesOf("openai-responses", { tools: [{ type: "web_search_preview" }] })).toBe(100);
    expect(searchesOf("openai-responses", { tools: [{ type: "web_search" }], max_tool_calls: 2 })).toBe(2);
    expect(searchesOf("openai-responses", { tools: [{ type: "code_interpreter" }], max_tool_calls: 2 })).toBe(0);
  });
});
