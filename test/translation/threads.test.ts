import { afterAll, beforeAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import type { DialectName } from "../dialects/names.testkit.ts";
import type { JsonObject } from "../../src/json/values.ts";
import { messagesCaller } from "../dialects/callers.testkit.ts";
import { modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { post, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** Conversations that Anthropic keeps: `thread` on `/v1/messages`, which its tool runners send unasked. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const upstreamBody = () => JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body)) as JsonObject;
const elsewhere: readonly DialectName[] = ["openai-chat", "openai-responses", "gemini"];
const threads = [{ type: "create" }, { type: "continue", previous_message_id: "msg_1" }];

test.each(elsewhere)(
  "a %s provider has no threads, and the error is the one that Anthropic's clients understand",
  async (dialect) => {
    for (const thread of threads) {
      for (const stream of [false, true]) {
        const sent = gateway.sandbox.requests.length;
        const response = await post(gateway, messagesCaller, modelOf(dialect), "Hi", { more: { thread }, stream });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          type: "error",
          error: {
            type: "invalid_request_error",
            message: expect.stringContaining("thread"),
            details: { error_code: "thread_unsupported_request", unsupported: ["model"] },
          },
        });
        expect(gateway.sandbox.requests.length).toBe(sent);
      }
    }
  },
);

test("a provider of Messages is sent the caller's thread, even without a new message", async () => {
  for (const thread of threads) {
    const more = { thread, ...(thread.type === "continue" ? { messages: [] } : {}) };
    await post(gateway, messagesCaller, modelOf("anthropic-messages"), "Hi", { more });
    expect(upstreamBody()).toMatchObject(more);
  }
});

test("other errors have no such details", async () => {
  const response = await post(gateway, messagesCaller, modelOf("openai-chat"), "Hi", { more: { container: "c" } });
  expect(await response.json()).not.toHaveProperty("error.details");
});

test.each(elsewhere)("the tool runner continues without a thread at a %s provider", async (dialect) => {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
  const asked: unknown[] = [];
  const weather = betaTool({
    name: "get_weather",
    description: "The weather of a city.",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: (input) => {
      asked.push(input);
      return "Sunny.";
    },
  });
  const prompt = scripted({ tool_calls: [{ name: "get_weather", arguments: { city: "Paris" } }] });
  const answer = await client.beta.messages.toolRunner({
    model: modelOf(dialect),
    max_tokens: 1_000,
    tools: [weather],
    messages: [{ role: "user", content: prompt }],
  });
  expect(asked).toEqual([{ city: "Paris" }]);
  expect(answer.stop_reason).toBe("end_turn");
  expect(JSON.stringify(upstreamBody())).toContain("Sunny.");
});

test("the tool runner goes on without a thread, however often it runs", async () => {
  const limited = await startDialectGateway({ server: { maxRefusedPerMinute: 1 } });
  try {
    const client = new Anthropic({ baseURL: limited.url, apiKey: limited.key, maxRetries: 0 });
    const tool = betaTool({
      name: "nothing",
      description: "Nothing.",
      inputSchema: { type: "object" },
      run: () => "Nothing.",
    });
    for (let run = 0; run < 3; run++) {
      const messages = [{ role: "user" as const, content: "Hi" }];
      const options = { model: modelOf("gemini"), max_tokens: 1_000, tools: [tool], messages };
      expect(await client.beta.messages.toolRunner(options)).toMatchObject({ stop_reason: "end_turn" });
    }
    const refused = limited.log.filter(({ fields }) => fields.status === "refused");
    expect(refused.length).toBe(1);
  } finally {
    await limited.stop();
  }
});
