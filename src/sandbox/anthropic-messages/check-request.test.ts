import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Sandbox, startSandbox } from "../server.ts";
import { signThinking } from "./signatures.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

async function ask(
  fields: object,
  version: string | null = "2023-06-01",
): Promise<{ status: number; message: string }> {
  const response = await fetch(`${sandbox.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(version === null ? {} : { "anthropic-version": version }) },
    body: JSON.stringify({
      model: "sandbox-chat",
      max_tokens: 2_000,
      messages: [{ role: "user", content: "Hi" }],
      ...fields,
    }),
  });
  const body = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: body.error?.message ?? "" };
}

const said = (...blocks: readonly object[]) => ({ messages: [{ role: "user", content: blocks }] });
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "" });
const loop = (calls: readonly object[], ...answers: readonly (readonly object[])[]) => ({
  messages: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: calls },
    ...answers.map((content) => ({ role: "user", content })),
  ],
});
const tool = (fields: object = {}) => ({ tools: [{ name: "f", input_schema: { type: "object" }, ...fields }] });
const schema = (of: object) => ({ output_config: { format: { type: "json_schema", schema: of } } });
const closed = { type: "object", additionalProperties: false };
const budget = { thinking: { type: "enabled", budget_tokens: 1_024 } };
const thought = { type: "thinking", thinking: "Hm.", signature: signThinking("Hm.") };

test.each<[string, object]>([
  ["plain", {}],
  ["sampling values", { temperature: 1, top_p: 0.5, top_k: 5 }],
  ["an empty system text", { system: "" }],
  [
    "an instruction in mid-conversation",
    {
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: "Be kind." },
      ],
    },
  ],
  ["all results of parallel calls, then a text", loop([use("a"), use("b")], [result("b"), result("a"), text("And?")])],
  ["a kept thought", { ...loop([thought, use("a")], [result("a")]), ...budget }],
  ["a call whose thought was dropped, with thinking off", loop([use("a")], [result("a")])],
  ["a schema within the subset", schema({ ...closed, properties: { at: { type: "string", format: "date" } } })],
])("%s is accepted", async (_name, fields) => {
  expect(await ask(fields)).toEqual({ status: 200, message: "" });
});

test.each<[string, object, string]>([
  ["no maximum", { max_tokens: undefined }, "max_tokens: Field required"],
  ["an unknown parameter", { n: 1 }, "n: Extra inputs are not permitted"],
  [
    "an unknown field of a block",
    said({ ...text("Hi"), foo: 1 }),
    "messages.0.content.0.foo: Extra inputs are not permitted",
  ],
  ["an unknown role", { messages: [{ role: "tool", content: "Hi" }] }, "messages.0.role: Input should be"],
  ["no messages", { messages: [] }, "at least one message is required"],
  ["an empty message", { messages: [{ role: "user", content: "" }] }, "must have non-empty content"],
  ["an empty text", said(text("")), "text content blocks must be non-empty"],
  ["white space alone", said(text(" \n")), "must contain non-whitespace text"],
  ["an empty text beside a call", loop([text(""), use("a")], [result("a")]), "must be non-empty"],
  ["a prefill that ends in white space", { messages: [{ role: "assistant", content: "So " }] }, "trailing whitespace"],
  ["a call without a result", loop([use("a")], [text("Well?")]), "without `tool_result` blocks immediately after: a."],
  ["split results", loop([use("a"), use("b")], [result("a")], [result("b")]), "immediately after: b."],
  ["text before the results", loop([use("a")], [text("Well?"), result("a")]), "immediately after: a."],
  ["a result without a call", said(result("a")), "unexpected `tool_use_id` found in `tool_result` blocks: a."],
  ["one call answered twice", loop([use("a")], [result("a"), result("a")]), "must have a single result"],
  ["another alphabet in an id", loop([use("a:b")], [result("a:b")]), "should match pattern"],
  [
    "a lost thought",
    { ...loop([use("a")], [result("a")]), ...budget },
    "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
  ],
  [
    "a changed thought",
    loop([{ ...thought, thinking: "Ha." }, use("a")], [result("a")]),
    "Invalid `signature` in `thinking` block",
  ],
  ["a foreign redacted thought", loop([{ type: "redacted_thinking", data: "x" }]), "Invalid `data`"],
  ["a budget over the maximum", { ...budget, max_tokens: 1_024 }, "greater than `thinking.budget_tokens`"],
  ["a temperature with thinking", { ...budget, temperature: 0.5 }, "may only be set to 1"],
  [
    "a forced tool with thinking",
    { ...tool(), ...budget, tool_choice: { type: "any" } },
    "Thinking may not be enabled",
  ],
  ["a choice without tools", { tool_choice: { type: "auto" } }, "only be specified while providing tools"],
  ["a tool's name", tool({ name: "a b" }), "tools.0.custom.name"],
  ["a tool's schema", tool({ input_schema: { type: "string" } }), "Input should be 'object'"],
  ["an open schema that is to bind", tool({ strict: true }), "'additionalProperties' must be explicitly set to false"],
  [
    "an open schema of the answer",
    schema({ type: "object" }),
    "'additionalProperties' must be explicitly set to false",
  ],
  ["a keyword outside the subset", schema({ type: "integer", minimum: 1 }), "property 'minimum' is not supported"],
  ["oneOf", schema({ oneOf: [] }), "property 'oneOf' is not supported"],
  [
    "a format outside the subset",
    schema({ type: "string", format: "regex" }),
    'String format "regex" is not supported',
  ],
  [
    "a schema within itself",
    schema({ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } }),
    "Circular",
  ],
  [
    "five breakpoints",
    said(...Array.from({ length: 5 }, () => ({ ...text("x"), cache_control: { type: "ephemeral" } }))),
    "maximum of 4",
  ],
  ["white space as a stop sequence", { stop_sequences: [" "] }, "non-whitespace"],
  [
    "an image of another kind",
    said({ type: "image", source: { type: "base64", media_type: "image/bmp", data: "AAAA" } }),
    "media_type",
  ],
  [
    "an image that is no base64",
    said({ type: "image", source: { type: "base64", media_type: "image/png", data: "??" } }),
    "invalid base64",
  ],
])("%s is rejected", async (_name, fields, words) => {
  const { status, message } = await ask(fields);
  expect(message).toContain(words);
  expect(status).toBe(400);
});

test.each([
  ["temperature", { temperature: 1 }],
  ["top_p", { top_p: 1 }],
  ["top_k", { top_k: 1 }],
])("the newest version rejects %s", async (name, fields) => {
  expect((await ask(fields)).status).toBe(200);
  expect(await ask(fields, "2026-10-21")).toEqual({ status: 400, message: `${name}: Extra inputs are not permitted` });
});

test("a valid version is required", async () => {
  expect((await ask({}, null)).message).toContain("anthropic-version");
  expect((await ask({}, "2020-01-01")).status).toBe(400);
});
