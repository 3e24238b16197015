import { expect, test } from "bun:test";
import type { JsonObject } from "../json.ts";
import { createMemory } from "../memory.ts";
import { Refusal } from "../refusal.ts";
import { readResponsesCall } from "./responses-call.ts";
import { seal } from "./seal.ts";

const user = { role: "user", content: "Hi" };
const call = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "1" };
const custom = { type: "custom_tool_call", call_id: "c2", name: "g", input: "a" };
const customOutput = { type: "custom_tool_call_output", call_id: "c2", output: "1" };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: seal("Hm.") };
const answer = { role: "assistant", content: [{ type: "output_text", text: "Hello", annotations: [] }] };
const tool = { type: "function", name: "f", parameters: { type: "object", properties: { a: { type: "string" } } } };
const strict = { type: "object", properties: { a: {}, b: {} }, required: ["a"], additionalProperties: false };

function refusalOf(body: JsonObject): Refusal["failure"] | null {
  try {
    readResponsesCall(JSON.stringify({ model: "sandbox-chat", input: "Hi", ...body }), createMemory());
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.failure;
    throw error;
  }
}

const said = (part: object, role = "user") => ({ input: [{ role, content: [part] }] });

test.each<[JsonObject, string]>([
  [{ model: undefined }, "model"],
  [{ house_rule: 1 }, "house_rule"],
  [{ messages: [user] }, "messages"],
  [{ stop: ["a"] }, "stop"],
  [{ input: null }, "input"],
  [{ input: 5 }, "input"],
  [{ input: ["Hi"] }, "input[0]"],
  [{ input: [{ content: "Hi" }] }, "input[0].role"],
  [{ input: [{ role: "tool", content: "Hi" }] }, "input[0].role"],
  [{ input: [{ type: "tool_result" }] }, "input[0].type"],
  [said({ type: "text", text: "Hi" }), "input[0].content[0].type"],
  [said({ type: "output_text", text: "Hi" }), "input[0].content[0].type"],
  [said({ type: "input_text", text: "Hi" }, "assistant"), "input[0].content[0].type"],
  [said({ type: "input_image" }), "input[0].content[0].image_url"],
  [said({ type: "input_image", image_url: "nowhere" }), "input[0].content[0].image_url"],
  [said({ type: "input_image", image_url: { url: "https://example.com" } }), "input[0].content[0].image_url"],
  [said({ type: "input_file", file_data: "data:application/pdf;base64,AAAA" }), "input[0].content[0].filename"],
  [said({ type: "input_file", file_data: "AAAA", filename: "a.pdf" }), "input[0].content[0].file_data"],
  [{ input: [user, { ...call, call_id: "x".repeat(65) }] }, "input[1].call_id"],
  [{ input: [user, { ...call, arguments: {} }] }, "input[1].arguments"],
  [{ input: [user, output] }, "input"],
  [{ input: [user, call] }, "input"],
  [{ input: [user, call, { ...output, type: "custom_tool_call_output" }] }, "input"],
  [{ input: [user, reasoning] }, "input"],
  [{ input: [user, reasoning, user] }, "input"],
  [{ input: [user, { ...reasoning, encrypted_content: "anthropic's" }, answer] }, "input"],
  [{ input: [user, { ...reasoning, id: "x" }, answer] }, "input[1].id"],
  [{ input: [user, { ...reasoning, summary: undefined }, answer] }, "input[1].summary"],
  [{ input: [reasoning, reasoning, answer] }, "input"],
  [{ previous_response_id: "resp_none" }, "previous_response_id"],
  [{ tools: [{ type: "function", function: { name: "f" } }] }, "tools[0].name"],
  [{ tools: [{ ...tool, name: "a b" }] }, "tools[0].name"],
  [{ tools: [{ ...tool, strict: true }] }, "tools[0].parameters"],
  [{ tools: [{ ...tool, strict: true, parameters: strict }] }, "tools[0].parameters"],
  [{ tool_choice: "required" }, "tool_choice"],
  [{ tools: [tool], tool_choice: { type: "function", name: "g" } }, "tool_choice"],
  [{ text: { format: { type: "json_schema", schema: {} } } }, "text.format.name"],
  [
    { text: { format: { type: "json_schema", name: "a", schema: { type: "object" }, strict: true } } },
    "text.format.schema",
  ],
  [{ reasoning: { effort: "much" } }, "reasoning.effort"],
  [{ include: ["everything"] }, "include[0]"],
  [{ max_output_tokens: 15 }, "max_output_tokens"],
  [{ temperature: 2.1 }, "temperature"],
  [{ stream_options: { include_usage: true }, stream: true }, "stream_options.include_usage"],
  [{ stream_options: {} }, "stream_options"],
  [{ metadata: { a: 1 } }, "metadata.a"],
])("%j is rejected with the name of the field", (body, param) => {
  expect(refusalOf(body)).toMatchObject({ status: 400, param });
});

test("complete tool loops with reasoning are accepted", () => {
  const loop = [user, reasoning, call, custom, customOutput, output, answer, user];
  expect(refusalOf({ input: loop, instructions: "Be kind.", temperature: null })).toBeNull();
  const required = { ...strict, required: ["a", "b"] };
  expect(refusalOf({ tools: [{ ...tool, strict: true, parameters: required }, { type: "web_search" }] })).toBeNull();
});

test("an unknown item is a 404", () => {
  const gone = { status: 404, param: "input" };
  expect(refusalOf({ input: [{ type: "item_reference", id: "msg_1" }] })).toMatchObject(gone);
  expect(refusalOf({ input: [user, { ...reasoning, encrypted_content: null }, answer] })).toMatchObject(gone);
});
