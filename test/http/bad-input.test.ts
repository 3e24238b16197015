import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import {
  chatBody,
  type Expected,
  expectUntouched,
  type Refusal,
  refusedAndRecorded,
  secretWords,
} from "./refusals.testkit.ts";

/** Invalid bodies: the status, the named field, the record, and no effect on the gateway. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      { id: "cool", temperature: { min: 0, max: 1 }, targets: [{ provider: "sandbox", model: "sandbox-chat" }] },
    ],
  });
});
afterAll(() => gateway.stop());
afterEach(() => expectUntouched(gateway));

async function post(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Refusal> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  const response = await gateway.fetch("/v1/chat/completions", init);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const user = { role: "user", content: secretWords };
const invalid = (param: string): Expected => ({ code: "invalid_parameter", param });
const missing = (param: string): Expected => ({ code: "missing_parameter", param });
const notJson: Expected = { code: "invalid_json", param: null };
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("bodies that are not chat requests", () => {
  const cases: Readonly<Record<string, readonly [body: string | Uint8Array, expected: Expected]>> = {
    "nothing at all": ["", notJson],
    "half a body": [chatBody({}).slice(0, -10), notJson],
    "a long word": [secretWords + "x".repeat(100_000), notJson],
    "something behind the end": [`${chatBody({})}}`, notJson],
    "an array": ["[]", notJson],
    "a string": ['"hello"', notJson],
    null: ["null", notJson],
    "invalid UTF-8": [
      Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      notJson,
    ],
    "a lone surrogate in its bytes": [Buffer.from('{"model":"\xed\xa0\x80"}', "latin1"), notJson],
    "a NUL between two members": ['{"model":"sandbox-chat",\u0000"messages":[]}', notJson],
    "a NUL inside a string": [chatBody({ user: "x" }).replace('"x"', '"\u0000"'), notJson],
    "257 levels": [chatBody({ metadata: 0 }).replace(":0", `:${nested(256)}`), notJson],
    "a million open brackets": ["[".repeat(1_000_000), notJson],
    "no model": [JSON.stringify({ messages: [user] }), missing("model")],
    "a null model": [chatBody({ model: null }), missing("model")],
    "an empty model": [chatBody({ model: "" }), invalid("model")],
    "a number for a model": [chatBody({ model: 5 }), invalid("model")],
    "a model of 1 MB": [chatBody({ model: "m".repeat(1_000_000) }), invalid("model")],
    "a header in the model": [chatBody({ model: "sandbox-chat\r\nX-Evil: 1" }), invalid("model")],
    "a NUL in the model": [chatBody({ model: "sandbox-chat\u0000" }), invalid("model")],
    "a key with stray spaces": [`{" model ":"sandbox-chat","messages":[]}`, missing("model")],
    "a model only in __proto__": [`{"__proto__":{"model":"sandbox-chat"},"messages":[]}`, missing("model")],
    "messages only in __proto__": [`{"model":"sandbox-chat","__proto__":{"messages":[{}]}}`, missing("messages")],
    "no messages": [JSON.stringify({ model: "sandbox-chat" }), missing("messages")],
    "null messages": [chatBody({ messages: null }), missing("messages")],
    "empty messages": [chatBody({ messages: [] }), invalid("messages")],
    "a string for messages": [chatBody({ messages: "hello" }), invalid("messages")],
    "an object for messages": [chatBody({ messages: { 0: user, length: 1 } }), invalid("messages")],
    "a null message": [chatBody({ messages: [user, null] }), invalid("messages[1]")],
    "a message without a role": [chatBody({ messages: [{ content: "x" }] }), missing("messages[0].role")],
    "an unknown role": [chatBody({ messages: [{ role: "robot", content: "x" }] }), invalid("messages[0].role")],
    "a message without content": [chatBody({ messages: [{ role: "user" }] }), missing("messages[0].content")],
    "a number for content": [chatBody({ messages: [{ role: "user", content: 5 }] }), invalid("messages[0].content")],
    "a string among the parts": [
      chatBody({ messages: [{ role: "user", content: ["x"] }] }),
      invalid("messages[0].content[0]"),
    ],
    "a part without a type": [
      chatBody({ messages: [{ role: "user", content: [{ text: "x" }] }] }),
      invalid("messages[0].content[0].type"),
    ],
    "a text part without text": [
      chatBody({ messages: [{ role: "user", content: [{ type: "text" }] }] }),
      invalid("messages[0].content[0].text"),
    ],
    "an image that is no URL": [
      chatBody({
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc/passwd" } }] }],
      }),
      invalid("messages[0].content[0].image_url.url"),
    ],
    "a string for tool_calls": [
      chatBody({ messages: [{ role: "assistant", tool_calls: "x" }] }),
      invalid("messages[0].tool_calls"),
    ],
    "a tool message without tool_call_id": [
      chatBody({ messages: [user, { role: "tool", content: "18 degrees" }] }),
      missing("messages[1].tool_call_id"),
    ],
    "a number for tool_call_id": [
      chatBody({ messages: [user, { role: "tool", content: "18 degrees", tool_call_id: 7 }] }),
      invalid("messages[1].tool_call_id"),
    ],
    "max_tokens 0": [chatBody({ max_tokens: 0 }), invalid("max_tokens")],
    "max_tokens negative": [chatBody({ max_tokens: -1 }), invalid("max_tokens")],
    "max_tokens a string": [chatBody({ max_tokens: "100" }), invalid("max_tokens")],
    "max_tokens half": [chatBody({ max_tokens: 1.5 }), invalid("max_tokens")],
    "max_tokens beyond all numbers": [chatBody({ max_tokens: 7 }).replace(":7", ":1e999"), invalid("max_tokens")],
    "max_completion_tokens 0": [chatBody({ max_completion_tokens: 0 }), invalid("max_completion_tokens")],
    "temperature a string": [chatBody({ temperature: "1" }), invalid("temperature")],
    "temperature below the range": [chatBody({ temperature: -0.1 }), invalid("temperature")],
    "temperature above the range": [chatBody({ temperature: 2.1 }), invalid("temperature")],
    "temperature above the model's own range": [chatBody({ model: "cool", temperature: 1.1 }), invalid("temperature")],
    "stream a string": [chatBody({ stream: "true" }), invalid("stream")],
    "stream_options a string": [chatBody({ stream: true, stream_options: "yes" }), invalid("stream_options")],
    "include_usage a string": [
      chatBody({ stream: true, stream_options: { include_usage: "yes" } }),
      invalid("stream_options.include_usage"),
    ],
    "an object for tools": [chatBody({ tools: {} }), invalid("tools")],
    "a null tool": [chatBody({ tools: [null] }), invalid("tools[0]")],
    "a tool without a function": [chatBody({ tools: [{ type: "function" }] }), missing("tools[0].function")],
    "a tool without a name": [
      chatBody({ tools: [{ type: "function", function: {} }] }),
      invalid("tools[0].function.name"),
    ],
    "a string for parameters": [
      chatBody({ tools: [{ type: "function", function: { name: "f", parameters: "{}" } }] }),
      invalid("tools[0].function.parameters"),
    ],
    "tool_choice unknown": [chatBody({ tool_choice: "perhaps" }), invalid("tool_choice")],
    "tool_choice a number": [chatBody({ tool_choice: 1 }), invalid("tool_choice")],
    "tool_choice without a name": [
      chatBody({ tool_choice: { type: "function" } }),
      invalid("tool_choice.function.name"),
    ],
    "response_format a string": [chatBody({ response_format: "json" }), invalid("response_format")],
    "response_format without a type": [chatBody({ response_format: {} }), invalid("response_format.type")],
    "tools for a model without tools": [
      chatBody({ model: "sandbox-no-tools", tools: [{ type: "function", function: { name: "f" } }] }),
      { code: "unsupported_parameter", param: "tools" },
    ],
    "an unknown model": [
      chatBody({ model: "no-such-model" }),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
    "a model with stray spaces": [
      chatBody({ model: " sandbox-chat " }),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
    "a lone surrogate in the model": [
      chatBody({ model: "x" }).replace('"x"', '"\\ud800"'),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
    "__proto__ for a model": [
      chatBody({ model: "__proto__" }),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
  };

  test.each(Object.entries(cases))("%s", async (_name, [sent, expected]) => {
    await refusedAndRecorded(gateway, () => post(sent), expected);
  });
});

describe("unusual but valid bodies", () => {
  const cases: Readonly<Record<string, string>> = {
    "200 levels": chatBody({ metadata: 0 }).replace(":0", `:${nested(200)}`),
    "256 levels": chatBody({ metadata: 0 }).replace(":0", `:${nested(255)}`),
    "__proto__ and constructor": `{"__proto__":{"tools":5},"constructor":1,${chatBody({}).slice(1)}`,
    "an escaped lone surrogate": chatBody({ messages: [{ role: "user", content: "\ud800" }] }),
    "an escaped NUL": chatBody({ messages: [{ role: "user", content: "a\u0000b" }] }),
    "keys with stray spaces beside the right ones": `{" model":"other",${chatBody({}).slice(1)}`,
    "null for every optional field": chatBody({
      max_tokens: null,
      temperature: null,
      tools: null,
      stream_options: null,
    }),
    "temperature at both ends": chatBody({ temperature: 2 }),
  };

  test.each(Object.entries(cases))("%s: is forwarded byte for byte", async (_name, sent) => {
    const response = await post(sent);
    expect(response.status).toBe(200);
    expect(Buffer.from(gateway.sandbox.requests.at(-1)?.body ?? []).toString()).toBe(sent);
    expect(await gateway.record(response.headers.get("x-service-request-id") ?? null)).toMatchObject({
      status: "succeeded",
    });
  });
});

describe("content types and encodings", () => {
  const refusals: Readonly<Record<string, readonly [headers: Record<string, string>, param: string]>> = {
    compress: [{ "content-encoding": "compress" }, "Content-Encoding"],
    "an unknown one after gzip": [{ "content-encoding": "gzip, aes128gcm" }, "Content-Encoding"],
    "gzip five times": [{ "content-encoding": "gzip, gzip, gzip, gzip, gzip" }, "Content-Encoding"],
    text: [{ "content-type": "text/plain" }, "Content-Type"],
    "a form": [{ "content-type": "multipart/form-data; boundary=x" }, "Content-Type"],
    "nearly JSON": [{ "content-type": "application/jsonx" }, "Content-Type"],
  };
  test.each(Object.entries(refusals))("%s: 415", async (_name, [headers, param]) => {
    const sent = param === "Content-Encoding" ? Bun.gzipSync(chatBody({})) : chatBody({});
    await refusedAndRecorded(gateway, () => post(sent, headers), {
      status: 415,
      code: "unsupported_media_type",
      param,
    });
  });

  test.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.api+json"])(
    "%s: good",
    async (type) => {
      expect((await post(chatBody({}), { "content-type": type })).status).toBe(200);
    },
  );
});
