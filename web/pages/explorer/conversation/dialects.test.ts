import { describe, expect, test } from "bun:test";
import { type ConversationEndpoint, dialects } from "./dialects.ts";
import { type Answer, type ConversationRequest, emptyAnswer } from "./conversation.ts";

const request: ConversationRequest = {
  model: "vendor/model",
  settings: {
    system: "Be brief",
    tools: [{ name: "get_weather", description: "The weather", parameters: { type: "object" } }],
    schema: { type: "object" },
    effort: "low",
    maxTokens: 50,
    temperature: 0.5,
  },
  messages: [{ role: "user", text: "Hello", pictures: [{ name: "a", url: "data:image/png;base64,AAAA" }] }],
};

/** Events of a stream that thinks, says "Hi", and calls a function with its arguments in two parts. */
const events: Readonly<Record<ConversationEndpoint, readonly unknown[]>> = {
  chat: [
    { choices: [{ delta: { reasoning_content: "Hm" } }] },
    { choices: [{ delta: { content: "Hi" } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, id: "c1", function: { name: "f", arguments: '{"a"' } }] } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] } }] },
    { choices: [], usage: { completion_tokens: 7 } },
  ],
  messages: [
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hi" } },
    { type: "content_block_stop", index: 1 },
    { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "c1", name: "f", input: {} } },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"a"' } },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: ":1}" } },
    { type: "content_block_stop", index: 2 },
    { type: "message_delta", usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ],
  responses: [
    { type: "response.reasoning_summary_text.delta", delta: "Hm" },
    { type: "response.output_text.delta", delta: "Hi" },
    {
      type: "response.output_item.done",
      item: { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' },
    },
    {
      type: "response.completed",
      response: { output: [{ type: "reasoning" }, { type: "message" }], usage: { output_tokens: 7 } },
    },
  ],
  generate_content: [
    { candidates: [{ content: { parts: [{ text: "Hm", thought: true }, { text: "Hi" }] } }] },
    {
      candidates: [{ content: { parts: [{ functionCall: { id: "c1", name: "f", args: { a: 1 } } }] } }],
      usageMetadata: { candidatesTokenCount: 5, thoughtsTokenCount: 2 },
    },
  ],
};

const told = "18 degrees";

/** Where a request goes, and what is the dialect's own in it. */
const shapes: Readonly<Record<ConversationEndpoint, { readonly path: string; readonly body: object }>> = {
  chat: {
    path: "/v1/chat/completions",
    body: {
      max_completion_tokens: 50,
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: [{ type: "image_url" }, { type: "text", text: "Hello" }] },
        { role: "assistant", content: "Hi", tool_calls: [{ id: "c1", function: { name: "f", arguments: '{"a":1}' } }] },
        { role: "tool", tool_call_id: "c1", content: told },
      ],
    },
  },
  messages: {
    path: "/v1/messages",
    body: {
      max_tokens: 50,
      system: "Be brief",
      output_config: { effort: "low", format: { type: "json_schema" } },
      tools: [{ name: "get_weather", input_schema: { type: "object" } }],
      messages: [
        { content: [{ source: { type: "base64", media_type: "image/png", data: "AAAA" } }, { text: "Hello" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: "s" },
            { type: "text", text: "Hi" },
            { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: told }] },
      ],
    },
  },
  responses: {
    path: "/v1/responses",
    body: {
      store: false,
      instructions: "Be brief",
      reasoning: { effort: "low", summary: "auto" },
      text: { format: { type: "json_schema" } },
      input: [
        { role: "user", content: [{ type: "input_image" }, { type: "input_text", text: "Hello" }] },
        { type: "reasoning" },
        { type: "message" },
        { type: "function_call_output", call_id: "c1", output: told },
      ],
    },
  },
  generate_content: {
    path: "/v1beta/models/vendor/model:streamGenerateContent?alt=sse",
    body: {
      systemInstruction: { parts: [{ text: "Be brief" }] },
      generationConfig: { maxOutputTokens: 50, thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" } },
      contents: [
        { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }, { text: "Hello" }] },
        { role: "model", parts: [{ text: "Hm", thought: true }, { text: "Hi" }, { functionCall: { id: "c1" } }] },
        { role: "user", parts: [{ functionResponse: { id: "c1", name: "f", response: { result: told } } }] },
      ],
    },
  },
};

describe.each(Object.keys(dialects) as ConversationEndpoint[])("%s", (name) => {
  const dialect = dialects[name];
  const read = () => events[name].reduce((answer: Answer, event) => dialect.read(answer, event), emptyAnswer);

  test("reads text, reasoning, calls and the tokens of a stream", () => {
    const call = { id: "c1", name: "f", arguments: '{"a":1}' };
    expect(read()).toMatchObject({ text: "Hi", reasoning: "Hm", calls: [call], outputTokens: 7 });
  });

  test("repeats the answer and the result of its call in its own shape", () => {
    const answer = { role: "assistant", ...read() } as const;
    const results = { role: "tool", results: [{ call: answer.calls[0]!, content: "18 degrees" }] } as const;
    const { messages } = request;
    const body = dialect.body({ ...request, messages: [...messages, answer, results] });
    expect(dialect.path(request.model)).toBe(shapes[name].path);
    expect(body).toMatchObject(shapes[name].body);
  });
});
