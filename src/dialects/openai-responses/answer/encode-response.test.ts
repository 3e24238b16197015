import { expect, test } from "bun:test";
import type { Part } from "../../../conversation/parts.ts";
import type { ConversationResponse, Finish } from "../../../conversation/response.ts";
import type { JsonObject } from "../../../json/values.ts";
import { encodeResponsesResponse } from "./encode-response.ts";

const clock = { now: () => 20_000 };
const text: Part = { type: "text", text: "Hi" };

function encode(
  parts: readonly Part[],
  {
    finish = { reason: "stop" },
    callerBody = {},
    ...more
  }: { finish?: Finish; callerBody?: JsonObject } & Partial<ConversationResponse> = {},
): JsonObject {
  const answer = { id: null, model: null, created: null, candidates: [{ parts, finish }], usage: null, ...more };
  const context = { callerBody, model: "m", fallbackId: "abc", created: 7, estimatedInputTokens: 1 };
  return JSON.parse(JSON.stringify(encodeResponsesResponse(answer, context, clock))) as JsonObject;
}

const requiredFields =
  "id object created_at completed_at status incomplete_details model previous_response_id instructions output error " +
  "tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs " +
  "temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata " +
  "safety_identifier prompt_cache_key";

test("a response has all its fields, with the defaults of a request that sets none", () => {
  const response = encode([text]);
  expect(Object.keys(response).toSorted()).toEqual(requiredFields.split(" ").toSorted());
  expect(response).toMatchObject({
    id: "resp_abc",
    object: "response",
    created_at: 7,
    completed_at: 20,
    status: "completed",
    incomplete_details: null,
    model: "m",
    error: null,
    tools: [],
    tool_choice: "auto",
    truncation: "disabled",
    parallel_tool_calls: true,
    text: { format: { type: "text" } },
    top_p: 1,
    temperature: 1,
    reasoning: { effort: null, summary: null },
    usage: null,
    store: true,
    background: false,
    service_tier: "default",
    metadata: {},
    prompt_cache_key: null,
  });
});

test("a response echoes its request", () => {
  const callerBody = {
    instructions: "Be kind.",
    previous_response_id: "resp_0",
    tools: [{ type: "function", name: "f" }],
    tool_choice: "required",
    parallel_tool_calls: false,
    text: { format: { type: "json_object" }, verbosity: "low" },
    reasoning: { effort: "low", summary: null },
    temperature: 0,
    top_p: 0.5,
    top_logprobs: 2,
    max_output_tokens: 9,
    max_tool_calls: 3,
    store: false,
    metadata: { a: "b" },
    safety_identifier: "s",
    prompt_cache_key: "k",
    user: "u",
  };
  expect(encode([text], { callerBody })).toMatchObject(callerBody);
});

test("each part is an item with an id of its kind", () => {
  const call = (kind: "function" | "custom"): Part => ({
    type: "tool-call",
    kind,
    id: `c_${kind}`,
    name: "f",
    input: "{}",
  });
  const image: Part = { type: "image", source: { type: "data", mediaType: "image/png", base64: "AAAA" } };
  const search = { id: "ws_1", type: "web_search_call", status: "completed" };
  const { output } = encode([
    { type: "reasoning", text: "Hm.", signature: { vendor: "anthropic", value: "s" } },
    text,
    call("function"),
    call("custom"),
    image,
    { type: "native", vendor: "openai", value: search },
    { type: "native", vendor: "anthropic", value: { type: "server_tool_use" } },
  ]);
  expect(output).toEqual([
    {
      id: "rs_abc0000",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "anthropic:s",
    },
    {
      id: "msg_abc0001",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }],
    },
    { id: "fc_abc0002", type: "function_call", status: "completed", call_id: "c_function", name: "f", arguments: "{}" },
    { id: "ctc_abc0003", type: "custom_tool_call", status: "completed", call_id: "c_custom", name: "f", input: "{}" },
    { id: "ig_abc0004", type: "image_generation_call", status: "completed", result: "AAAA", output_format: "png" },
    search,
  ]);
});

test("a truncated answer is incomplete, and so is its last item", () => {
  const cut = encode([text, text], { finish: { reason: "length" } });
  expect(cut).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    completed_at: null,
    output: [{ status: "completed" }, { status: "incomplete" }],
  });
  expect(encode([text], { finish: { reason: "content-filter" } })).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
  });
});

test("a refusal with text is complete, a vendor's explanation serves as text, one without any is filtered", () => {
  const finish = { reason: "refusal", explanation: "Against the rules." } as const;
  expect(encode([], { finish })).toMatchObject({
    status: "completed",
    output: [{ content: [{ type: "refusal", refusal: "Against the rules." }] }],
  });
  expect(encode([{ type: "refusal", text: "No." }], { finish }).output).toHaveLength(1);
  expect(encode([], { finish: { reason: "refusal" } })).toMatchObject({ status: "incomplete", output: [] });
});

test("a fault of the model is a failed response", () => {
  expect(encode([], { finish: { reason: "error", explanation: "Malformed call." } })).toMatchObject({
    status: "failed",
    error: { code: "server_error", message: "Malformed call." },
  });
});

test("an id of this dialect is kept, another vendor's standard tier has this one's name", () => {
  expect(encode([text], { id: "resp_9", serviceTier: "standard" })).toMatchObject({
    id: "resp_9",
    service_tier: "default",
  });
  expect(encode([text], { id: "chatcmpl-9" }).id).toBe("resp_abc");
});
