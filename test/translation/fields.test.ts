import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DialectName } from "../dialects/names.testkit.ts";
import type { JsonObject } from "../../src/json/values.ts";
import {
  callers,
  chatCaller,
  geminiEventsCaller,
  messagesCaller,
  responsesCaller,
  type Caller,
} from "../dialects/callers.testkit.ts";
import { modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post, requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** Fields that a provider does not support: a warning or an error with the caller's field name. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const upstreamBody = () => JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body)) as JsonObject;
const warningsOf = (response: Response) =>
  (response.headers.get("x-service-warnings") ?? "").split(", ").filter(Boolean);

describe("a warning names the caller's field", () => {
  const cases: readonly (readonly [Caller, DialectName, JsonObject, readonly string[]])[] = [
    [
      chatCaller,
      "anthropic-messages",
      { seed: 1, presence_penalty: 1, logit_bias: { a: 1 } },
      ["presence_penalty", "seed", "logit_bias"],
    ],
    [chatCaller, "anthropic-messages", { temperature: 1.7 }, ["temperature"]],
    [chatCaller, "anthropic-messages", { stop: ["\n", "END"] }, ["stop"]],
    [chatCaller, "gemini", { parallel_tool_calls: false, logit_bias: { a: 1 } }, ["logit_bias"]],
    [chatCaller, "openai-responses", { seed: 1 }, ["seed"]],
    [messagesCaller, "openai-chat", { top_k: 5, speed: "fast" }, ["top_k", "speed"]],
    [messagesCaller, "openai-responses", { top_k: 5 }, ["top_k"]],
    [messagesCaller, "gemini", { speed: "fast" }, ["speed"]],
    [
      geminiEventsCaller,
      "openai-chat",
      { generationConfig: { topK: 5 }, safetySettings: [] },
      ["generationConfig.topK"],
    ],
    [geminiEventsCaller, "anthropic-messages", { generation_config: { seed: 5 } }, ["generation_config.seed"]],
    [
      responsesCaller,
      "anthropic-messages",
      { truncation: "auto", max_tool_calls: 3 },
      ["truncation", "max_tool_calls"],
    ],
    [chatCaller, "gemini", { my_own_field: 1 }, ["my_own_field"]],
    [
      geminiEventsCaller,
      "openai-chat",
      { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }] },
      ["safetySettings"],
    ],
  ];

  test.each(cases.map(([caller, ...rest]) => [caller.name, ...rest, caller] as const))(
    "%s at %s: %j",
    async (_name, dialect, more, expected, caller) => {
      for (const stream of [false, true]) {
        const response = await post(gateway, caller, modelOf(dialect), scripted({ text: "Good." }), { more, stream });
        const said = await response.text();
        expect({ status: response.status, said: response.ok ? "" : said }).toEqual({ status: 200, said: "" });
        for (const path of expected) expect(warningsOf(response)).toContain(path);
        expect(Object.keys(upstreamBody())).not.toContain("my_own_field");
      }
    },
  );

  test("supported fields cause no warning", async () => {
    for (const caller of callers) {
      for (const dialect of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const) {
        const response = await post(gateway, caller, modelOf(dialect), "Hi", { tools: true });
        await response.text();
        expect([caller.name, dialect, warningsOf(response)]).toEqual([caller.name, dialect, []]);
      }
    }
  });
});

describe("an unsupported field is a 400 that names it, without a provider call", () => {
  const user = (content: unknown) => [{ role: "user", content }];
  const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const cases: readonly (readonly [Caller, DialectName, JsonObject, string])[] = [
    [chatCaller, "anthropic-messages", { n: 2 }, "n"],
    [chatCaller, "openai-responses", { n: 2 }, "n"],
    [chatCaller, "openai-responses", { stop: "END" }, "stop"],
    [chatCaller, "anthropic-messages", { messages: user([audio]) }, "messages[0].content[0]"],
    [messagesCaller, "openai-chat", { container: "container_1" }, "container"],
    [messagesCaller, "gemini", { tools: [{ type: "bash_20250124", name: "bash" }] }, "tools[0]"],
    [
      messagesCaller,
      "openai-chat",
      { messages: user([{ type: "image", source: { type: "file", file_id: "file_1" } }]) },
      "messages[0].content[0]",
    ],
    [geminiEventsCaller, "openai-chat", { cachedContent: "cachedContents/1" }, "cachedContent"],
    [geminiEventsCaller, "openai-responses", { continuationToken: "AAAA" }, "continuationToken"],
    [
      geminiEventsCaller,
      "anthropic-messages",
      { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_LOW_AND_ABOVE" }] },
      "safetySettings",
    ],
    [chatCaller, "anthropic-messages", { moderation: { model: "omni-moderation-latest" } }, "moderation"],
    [messagesCaller, "gemini", { compaction: { type: "enabled" } }, "compaction"],
    [
      messagesCaller,
      "openai-chat",
      { messages: [...user("Hi"), { role: "assistant", content: "I think" }] },
      "messages[1]",
    ],
    [geminiEventsCaller, "anthropic-messages", { tools: [{ googleSearch: {} }] }, "tools[0]"],
    [responsesCaller, "gemini", { tools: [{ type: "web_search" }] }, "tools[0]"],
    [responsesCaller, "anthropic-messages", { background: true }, "background"],
  ];

  test.each(cases.map(([caller, ...rest]) => [caller.name, ...rest, caller] as const))(
    "%s at %s: %j",
    async (_name, dialect, more, path, caller) => {
      for (const stream of [false, true]) {
        const sent = gateway.sandbox.requests.length;
        const response = await post(gateway, caller, modelOf(dialect), "Hi", { more, stream });
        const requestId = requestIdOf(response);
        const body = await response.text();
        expect({ status: response.status, id: response.headers.get(caller.idHeader) }).toEqual({
          status: 400,
          id: requestId,
        });
        expect(JSON.parse(body)).toMatchObject(
          caller.envelope({
            status: 400,
            code: "unsupported_parameter",
            param: expect.stringContaining(path) as never,
            requestId,
          }),
        );
        expect(body).toContain(path);
        expect(gateway.sandbox.requests.length).toBe(sent);
        expect(await gateway.record(requestId)).toMatchObject({ status: "refused", billing: { amount_microusd: 0 } });
      }
    },
  );
});

describe("invalid input is reported in the endpoint's error format", () => {
  const cases: readonly (readonly [Caller, JsonObject, string])[] = [
    [chatCaller, { messages: 5 }, "messages"],
    [chatCaller, { temperature: "hot" }, "temperature"],
    [messagesCaller, { messages: [{ role: "robot", content: "Hi" }] }, "messages[0].role"],
    [messagesCaller, { max_tokens: null }, "max_tokens"],
    [geminiEventsCaller, { contents: "Hi" }, "contents"],
    [geminiEventsCaller, { generationConfig: { temperature: "hot" } }, "generationConfig.temperature"],
    [responsesCaller, { input: 5 }, "input"],
  ];

  test.each(cases.map(([caller, ...rest]) => [caller.name, ...rest, caller] as const))(
    "%s: %j",
    async (_name, more, path, caller) => {
      const response = await post(gateway, caller, modelOf("openai-chat"), "Hi", { more });
      const requestId = requestIdOf(response);
      expect(response.status).toBe(400);
      const body = await response.json();
      expect(JSON.stringify(body)).toContain(path);
      const code = expect.stringMatching(/^(missing|invalid)_parameter$/) as unknown as string;
      expect(body).toMatchObject(caller.envelope({ status: 400, code, param: path, requestId }));
    },
  );

  test.each(callers.map((caller) => [caller.name, caller] as const))(
    "%s: no JSON, no key, no model",
    async (_name, caller) => {
      const path = caller.path("nobody", false);
      const headers = { "content-type": "application/json" };
      const expectRefusal = async (response: Response, status: number, code: string, param: string | null) => {
        const requestId = requestIdOf(response);
        expect(response.status).toBe(status);
        expect(response.headers.get(caller.idHeader)).toBe(requestId);
        expect(await response.json()).toMatchObject(caller.envelope({ status, code, param, requestId }));
      };
      await expectRefusal(await gateway.fetch(path, { method: "POST", headers, body: "{" }), 400, "invalid_json", null);
      await expectRefusal(
        await fetch(gateway.url + path, { method: "POST", headers, body: "{}" }),
        401,
        "missing_api_key",
        null,
      );
      await expectRefusal(await post(gateway, caller, "nobody", "Hi"), 404, "model_not_found", "model");
    },
  );
});

test("a tool loop keeps ids that another vendor would reject", async () => {
  const id = "call|with:odd/characters".repeat(6);
  const call = { id, type: "function", function: { name: "get_weather", arguments: '{"city":"Rome"}' } };
  for (const dialect of ["anthropic-messages", "openai-responses", "gemini"] as const) {
    const response = await post(gateway, chatCaller, modelOf(dialect), "Hi", {
      tools: true,
      more: {
        messages: [
          { role: "user", content: "Weather?" },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: id, content: "20 degrees" },
        ],
      },
    });
    expect(chatCaller.textOf(await response.json())).toContain("get_weather says 20 degrees");
  }
});

test("a schema that the vendor would reject is adapted", async () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1 },
      age: { oneOf: [{ type: "integer", minimum: 0 }, { type: "null" }] },
    },
    required: ["name", "age"],
  };
  const more = { response_format: { type: "json_schema", json_schema: { name: "person", schema } } };
  for (const dialect of ["anthropic-messages", "openai-responses", "gemini"] as const) {
    const response = await post(gateway, chatCaller, modelOf(dialect), "Who?", { more });
    expect(JSON.parse(chatCaller.textOf(await response.json()))).toMatchObject({ name: expect.any(String) });
  }
});

test("system messages in any place, blank texts and adjacent messages of one role work with every provider", async () => {
  const messages = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "One." },
    {
      role: "user",
      content: [
        { type: "text", text: "" },
        { type: "text", text: "Two." },
      ],
    },
    { role: "assistant", content: "" },
    { role: "system", content: "Be brief." },
    { role: "user", content: "Three." },
  ];
  for (const dialect of ["openai-chat", "anthropic-messages", "openai-responses", "gemini"] as const) {
    const response = await post(gateway, chatCaller, modelOf(dialect), "Hi", { more: { messages } });
    const answer = await response.text();
    expect([dialect, response.status, response.ok ? "" : answer]).toEqual([dialect, 200, ""]);
  }
});
