import { expect, test } from "bun:test";
import { bare } from "../../../conversation/arbitraries.testkit.ts";
import type { ConversationRequest } from "../../../conversation/request.ts";
import { GatewayError } from "../../../errors.ts";
import { decodeResponsesRequest } from "./decode-request.ts";

function decode(body: object): ConversationRequest {
  return decodeResponsesRequest({ model: "m", input: "Hello", ...body });
}

function messagesOf(input: unknown): unknown {
  return bare(decode({ input }).messages);
}

test("a text is a user's message, after the instructions", () => {
  const { messages } = decode({ instructions: "Be kind." });
  expect(messages).toEqual([
    { role: "system", parts: [{ type: "text", text: "Be kind.", path: "instructions" }], path: "instructions" },
    { role: "user", parts: [{ type: "text", text: "Hello", path: "input" }], path: "input" },
  ]);
});

test("all kinds of content are read, each with its path", () => {
  const content = [
    { type: "input_text", text: "Look", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } },
    { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" },
    { type: "input_image", file_id: "file-1" },
    { type: "input_file", file_url: "https://example.com/a.pdf" },
    { type: "input_file", file_data: "QUJD", filename: "a.pdf" },
    { type: "input_file", file_id: "file-2" },
    { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    { type: "input_smell", of: "roses" },
  ];
  const [message] = decode({ input: [{ role: "user", content }] }).messages;
  const paths = content.map((_, index) => `input[0].content[${index}]`);
  expect(message?.parts.map((part) => part.path)).toEqual(paths);
  expect(bare(message?.parts)).toEqual([
    { type: "text", text: "Look", cache: { lifetime: "12h" } },
    { type: "image", source: { type: "data", mediaType: "image/png", base64: "AAAA" }, detail: "low" },
    { type: "image", source: { type: "file", vendor: "openai", id: "file-1" } },
    { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
    { type: "document", source: { type: "data", mediaType: "application/pdf", base64: "QUJD" }, title: "a.pdf" },
    { type: "document", source: { type: "file", vendor: "openai", id: "file-2" } },
    { type: "audio", source: { type: "data", mediaType: "audio/mpeg", base64: "AAAA" } },
    { type: "native", vendor: "openai", value: { type: "input_smell", of: "roses" } },
  ]);
});

test("the items of one turn are one message, the results of its calls another", () => {
  const input = [
    { role: "user", content: "Weather?" },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "seal" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look.", annotations: [] }] },
    { type: "function_call", id: "fc_1", call_id: "a", name: "weather", arguments: '{"at":"A"}', status: "completed" },
    { type: "custom_tool_call", id: "ctc_1", call_id: "b", name: "sql", input: "SELECT 1" },
    { type: "function_call_output", call_id: "a", output: "rain" },
    { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "1" }] },
    { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
  ];
  expect(messagesOf(input)).toEqual([
    { role: "user", parts: [{ type: "text", text: "Weather?" }] },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Hm.", signature: { vendor: "openai", value: "seal" }, id: "rs_1" },
        { type: "text", text: "I look." },
        { type: "tool-call", kind: "function", id: "a", name: "weather", input: '{"at":"A"}' },
        { type: "tool-call", kind: "custom", id: "b", name: "sql", input: "SELECT 1" },
      ],
    },
    {
      role: "tool",
      parts: [
        { type: "tool-result", callId: "a", parts: [{ type: "text", text: "rain" }] },
        { type: "tool-result", callId: "b", parts: [{ type: "text", text: "1" }] },
      ],
    },
    { role: "assistant", parts: [{ type: "refusal", text: "No." }] },
  ]);
});

test("text of another phase begins another message, reasoning and calls do not", () => {
  const said = (text: string, phase?: string) => ({ role: "assistant", content: text, phase });
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "seal" };
  const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
  const phases = decode({ input: [reasoning, said("Hm.", "commentary"), call, said("So.", "final_answer")] }).messages;
  expect(phases.map(({ phase, parts }) => [phase, parts.map((part) => part.type)])).toEqual([
    ["commentary", ["reasoning", "text", "tool-call"]],
    ["final_answer", ["text"]],
  ]);
});

test("empty reasoning is left out, hosted tools' items are kept whole", () => {
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } };
  const input = [{ type: "reasoning", id: "rs_1", summary: [] }, search, { role: "user", content: "And?" }];
  expect(messagesOf(input)).toEqual([
    { role: "assistant", parts: [{ type: "native", vendor: "openai", value: search }] },
    { role: "user", parts: [{ type: "text", text: "And?" }] },
  ]);
});

test("settings are read; a value that equals the default is not a setting", () => {
  const request = decode({
    text: { format: { type: "json_schema", name: "a", schema: { type: "object" }, strict: true }, verbosity: "low" },
    reasoning: { effort: "none", summary: "detailed", mode: "pro" },
    include: ["reasoning.encrypted_content", "message.output_text.logprobs", "web_search_call.action.sources"],
    service_tier: "default",
    truncation: "disabled",
    background: false,
    store: true,
    previous_response_id: "resp_1",
    metadata: {},
    max_output_tokens: 20,
  });
  expect(request).toMatchObject({
    responseFormat: { type: "schema", name: "a", schema: { type: "object" }, strict: true },
    verbosity: "low",
    reasoning: { enabled: false, summary: "detailed" },
    logprobs: true,
    serviceTier: "standard",
    maxOutputTokens: 20,
    vendorFields: { "openai.include": ["web_search_call.action.sources"], "openai.reasoning_mode": "pro" },
  });
  expect(Object.keys(request.vendorFields ?? {})).toHaveLength(2);
  expect(request.metadata).toBeUndefined();
  expect(request.unknownFields).toBeUndefined();
});

test("tools are flat, and choices name them", () => {
  const tools = [
    { type: "function", name: "f", parameters: { type: "object" }, strict: null },
    { type: "custom", name: "c", format: { type: "grammar", syntax: "regex", definition: "a" } },
    { type: "web_search" },
  ];
  const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "f" }] };
  const { tools: decoded, toolChoice } = decode({ tools, tool_choice: allowed });
  expect(bare(decoded)).toEqual([
    { type: "function", name: "f", parameters: { type: "object" } },
    { type: "custom", name: "c", format: { type: "grammar", syntax: "regex", definition: "a" } },
    { type: "native", vendor: "openai", value: { type: "web_search" } },
  ]);
  expect(toolChoice).toEqual({ type: "allowed", mode: "required", names: ["f"] });
  const hosted = { type: "allowed_tools", mode: "auto", tools: [{ type: "web_search" }] };
  expect(decode({ tool_choice: hosted }).toolChoice).toEqual({ type: "native", vendor: "openai", value: hosted });
});

test("fields that no dialect knows are named, at any place", () => {
  const { unknownFields } = decode({
    colour: "red",
    tools: [{ type: "function", name: "f", defer_loading: true, output_schema: null }],
    input: [{ role: "user", content: [{ type: "input_file", file_id: "f", detail: "high" }] }],
  });
  expect(unknownFields).toEqual(["input[0].content[0].detail", "tools[0].defer_loading", "colour"]);
});

const wrong: readonly (readonly [object, param: string])[] = [
  [{ model: undefined }, "model"],
  [{ input: undefined }, "input"],
  [{ input: [] }, "input"],
  [{ input: 3 }, "input"],
  [{ input: ["a"] }, "input[0]"],
  [{ input: [{ content: "a" }] }, "input[0].role"],
  [{ input: [{ role: "tool", content: "a" }] }, "input[0].role"],
  [{ input: [{ role: "user" }] }, "input[0].content"],
  [{ input: [{ role: "user", content: [{ type: "input_text" }] }] }, "input[0].content[0].text"],
  [{ input: [{ role: "user", content: [{ type: "input_image" }] }] }, "input[0].content[0].image_url"],
  [{ input: [{ type: "function_call", name: "f", arguments: "{}" }] }, "input[0].call_id"],
  [{ input: [{ type: "function_call_output", call_id: "a" }] }, "input[0].output"],
  [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input[0].id"],
  [{ tools: [{ type: "function" }] }, "tools[0].name"],
  [{ tool_choice: "some" }, "tool_choice"],
  [{ text: { format: { type: "json_schema", name: "a" } } }, "text.format.schema"],
  [{ text: { verbosity: "loud" } }, "text.verbosity"],
  [{ reasoning: { effort: "much" } }, "reasoning.effort"],
  [{ max_output_tokens: 1.5 }, "max_output_tokens"],
  [{ metadata: { a: 1 } }, "metadata.a"],
];

for (const [body, param] of wrong) {
  test(`a 400 names ${param} for ${JSON.stringify(body)}`, () => {
    let thrown: unknown;
    try {
      decode(body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({ status: 400, param });
  });
}
