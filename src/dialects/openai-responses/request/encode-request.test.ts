import { expect, test } from "bun:test";
import { requestOf } from "../../../conversation/arbitraries.testkit.ts";
import type { Part } from "../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../conversation/request.ts";
import { encodeResponsesRequest } from "./encode-request.ts";

const hello: Message = { role: "user", parts: [{ type: "text", text: "Hello" }] };
const sealed: Part = { type: "reasoning", text: "Hm.", signature: { vendor: "openai", value: "seal" }, id: "rs_1" };

function encode(messages: readonly Message[], settings: Partial<ConversationRequest> = {}, model = "gpt-6") {
  const encoded = encodeResponsesRequest(requestOf(messages, settings), { model, maxOutputTokens: null });
  return { ...encoded, body: JSON.parse(JSON.stringify(encoded.body)) as Record<string, unknown> };
}

test("leading system text becomes instructions, later system text an item in its place", () => {
  const system = (text: string): Message => ({ role: "system", parts: [{ type: "text", text }] });
  const { path, body } = encode([system("Be kind."), hello, system("Be brief.")]);
  expect(path).toBe("/responses");
  expect(body).toEqual({
    model: "gpt-6",
    instructions: "Be kind.",
    input: [
      { type: "message", role: "user", content: "Hello" },
      { type: "message", role: "system", content: "Be brief." },
    ],
    include: ["reasoning.encrypted_content"],
    store: false,
  });
});

test("a message with reasoning, text, refusal and calls is written item by item, in order", () => {
  const call = (id: string, kind: "function" | "custom"): Part => ({
    type: "tool-call",
    kind,
    id,
    name: "f",
    input: "{}",
  });
  const result = (callId: string, text: string): Part => ({
    type: "tool-result",
    callId,
    parts: [{ type: "text", text }],
    isError: text === "broken",
  });
  const long = "x".repeat(65);
  const { body } = encode([
    hello,
    {
      role: "assistant",
      phase: "commentary",
      parts: [
        sealed,
        { type: "text", text: "I" },
        { type: "refusal", text: "No" },
        call(long, "function"),
        call("b", "custom"),
      ],
    },
    { role: "tool", parts: [result(long, "broken"), result("b", "1")] },
  ]);
  const fitted = expect.stringMatching(/^call_[0-9a-f]{24}$/);
  const [, ...items] = body.input as Record<string, unknown>[];
  expect(items).toEqual([
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "seal" },
    {
      type: "message",
      role: "assistant",
      content: [
        { type: "output_text", text: "I", annotations: [] },
        { type: "refusal", refusal: "No" },
      ],
      phase: "commentary",
    },
    { type: "function_call", call_id: fitted, name: "f", arguments: "{}" },
    { type: "custom_tool_call", call_id: "b", name: "f", input: "{}" },
    { type: "function_call_output", call_id: fitted, output: "Error: broken" },
    { type: "custom_tool_call_output", call_id: "b", output: "1" },
  ]);
  expect(items[2]?.call_id).toBe(String(items[4]?.call_id));
});

test("tool results keep their images and documents", () => {
  const picture: Part = { type: "image", source: { type: "data", mediaType: "image/png", base64: "AAAA" } };
  const { body } = encode([hello, { role: "tool", parts: [{ type: "tool-result", callId: "a", parts: [picture] }] }]);
  expect((body.input as unknown[])[1]).toEqual({
    type: "function_call_output",
    call_id: "a",
    output: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }],
  });
});

test("reasoning of other vendors or without a seal is left out", () => {
  const foreign: Part = { type: "reasoning", text: "Hm.", signature: { vendor: "anthropic", value: "s" } };
  const { body } = encode([hello, { role: "assistant", parts: [foreign, { type: "reasoning", text: "Hm." }] }, hello]);
  expect(body.input).toHaveLength(2);
});

test("seals are requested of models that reason, and of unknown ones if they are used", () => {
  const history: Message[] = [hello, { role: "assistant", parts: [sealed] }, hello];
  const include = (messages: Message[], model: string) => encode(messages, {}, model).body.include;
  expect(include([hello], "o3")).toEqual(["reasoning.encrypted_content"]);
  expect(include([hello], "openai/gpt-5.4")).toEqual(["reasoning.encrypted_content"]);
  expect(include([hello], "llama-9")).toBeUndefined();
  expect(encode([hello], { reasoning: { effort: "low" } }, "llama-9").body.include).toEqual([
    "reasoning.encrypted_content",
  ]);
  expect(include(history, "llama-9")).toEqual(["reasoning.encrypted_content"]);
  expect(include(history, "gpt-4.1")).toBeUndefined();
  expect(encode(history, {}, "gpt-4.1").body.input).toHaveLength(2);
});

test("a setting is not sent to models that refuse it", () => {
  const settings: Partial<ConversationRequest> = { temperature: 0.5, topP: 0.5, reasoning: { effort: "max" } };
  const reasoning = encode([hello], settings, "gpt-5-mini");
  expect(reasoning.body).not.toHaveProperty("temperature");
  expect(reasoning.body).not.toHaveProperty("top_p");
  expect(reasoning.body.reasoning).toEqual({ effort: "high" });
  expect(reasoning.warnings).toEqual(["reasoning.effort"]);
  const plain = encode([hello], settings, "gpt-4.1");
  expect(plain.body).toMatchObject({ temperature: 0.5, top_p: 0.5 });
  expect(plain.body).not.toHaveProperty("reasoning");
});

test("a maximum below the vendor's minimum is raised, with a warning that names the caller's field", () => {
  const { body, warnings } = encode([hello], { maxOutputTokens: 5, spelling: { maxOutputTokens: "max_tokens" } });
  expect(body.max_output_tokens).toBe(16);
  expect(warnings).toEqual(["max_tokens"]);
});

test("a function's strictness is always sent, and a schema is added if there is none", () => {
  const { body } = encode([hello], { tools: [{ type: "function", name: "f" }], toolChoice: { type: "required" } });
  const parameters = { type: "object", properties: {} };
  expect(body.tools).toEqual([{ type: "function", name: "f", parameters, strict: false }]);
  expect(body.tool_choice).toBe("required");
});

test("web search, a setting of chat completions, becomes the tool", () => {
  const options = { search_context_size: "low", user_location: { type: "approximate", approximate: { city: "Bern" } } };
  const { body } = encode([hello], { vendorFields: { "openai.web_search_options": options } });
  const user_location = { type: "approximate", city: "Bern" };
  expect(body.tools).toEqual([{ type: "web_search", search_context_size: "low", user_location }]);
});

test("a cache breakpoint at an unsupported place causes a warning", () => {
  const marked = (type: "text", path: string): Part => ({ type, text: "a", cache: {}, path });
  const { body, warnings } = encode(
    [{ role: "user", parts: [marked("text", "m0")] }, { role: "assistant", parts: [marked("text", "m1")] }, hello],
    { spelling: { cache: ".cache_control" } },
  );
  expect(warnings).toEqual(["m1.cache_control"]);
  const content = [{ type: "input_text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } }];
  expect((body.input as unknown[])[0]).toEqual({ type: "message", role: "user", content });
});

test("the provider stores an answer only if the caller asked for it", () => {
  expect(encode([hello], { vendorFields: { "openai.store": true } }).body.store).toBe(true);
});
