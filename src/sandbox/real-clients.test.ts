import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { type Sandbox, startSandbox } from "./server.ts";

/** Fields that coding agents and tool runners send beside the usual ones. */

let sandbox: Sandbox;
let client: Anthropic;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new Anthropic({ baseURL: sandbox.url, apiKey: "any", maxRetries: 0 });
});
afterAll(() => sandbox.stop());

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(sandbox.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify({ model: "sandbox-chat", ...body }),
  });
const messages = (...said: string[]) => ({
  max_tokens: 2_000,
  messages: said.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
});

test("Codex's client_metadata, and its compaction", async () => {
  const input = [{ type: "message", role: "user", content: "Hi" }];
  const fields = { client_metadata: { "x-codex-installation-id": "1" }, prompt_cache_key: "k", store: false };
  expect((await post("/v1/responses", { input, ...fields })).status).toBe(200);
  const compacted = (await (await post("/v1/responses/compact", { input })).json()) as { output: object[] };
  expect((await post("/v1/responses", { input: [...compacted.output, ...input] })).status).toBe(200);
});

test("Codex's tools in namespaces, which a script calls by both names", async () => {
  const tools = [{ type: "namespace", name: "mcp__crm", tools: [{ type: "function", name: "find", parameters: {} }] }];
  const script = { tool_calls: [{ name: "mcp__crm__find", arguments: {} }] };
  const input = [{ type: "message", role: "user", content: `Find it [[sandbox: ${JSON.stringify(script)}]]` }];
  const answer = (await (await post("/v1/responses", { input, tools })).json()) as { output: object[] };
  expect(answer.output).toMatchObject([{ type: "function_call", namespace: "mcp__crm", name: "find" }]);
});

test("Claude Code's context_management, also where tokens are counted", async () => {
  const context_management = { edits: [{ type: "clear_thinking_20251015", keep: "all" }] };
  expect((await post("/v1/messages", { ...messages("Hi"), context_management })).status).toBe(200);
  const { max_tokens: _, ...counted } = messages("Hi");
  expect((await post("/v1/messages/count_tokens", { ...counted, context_management })).status).toBe(200);
});

describe("a thread", () => {
  test.each([false, true])("holds a conversation (stream: %j)", async (stream) => {
    const first = client.beta.messages.create({
      model: "sandbox-chat",
      ...ask("My name is Ann."),
      thread: { type: "create" },
    });
    const { id } = await first;
    const thread = { type: "continue", previous_message_id: id } as const;
    const request = { model: "sandbox-chat", ...ask("What is my name?"), thread };
    const { usage } = stream
      ? await client.beta.messages.stream(request).finalMessage()
      : await client.beta.messages.create(request);
    const whole = await client.beta.messages.countTokens({
      model: "sandbox-chat",
      messages: ask("What is my name?").messages,
    });
    expect(usage.input_tokens).toBeGreaterThan(whole.input_tokens + 5);
  });

  test("that is unknown, or of no kind, is refused as Anthropic refuses it", async () => {
    const thread = { type: "continue", previous_message_id: "msg_unknown" };
    const response = await post("/v1/messages", { ...messages("Hi"), thread });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { details: { error_code: "thread_not_found" } } });
    expect((await post("/v1/messages", { ...messages("Hi"), thread: { type: "copy" } })).status).toBe(400);
  });
});

test.each([false, true])(
  "a scripted tool call under a thinking budget, through the tool runner (stream: %j)",
  async (stream) => {
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
    const script = { tool_calls: [{ name: "get_weather", arguments: { city: "Paris" } }] };
    const runner = client.beta.messages.toolRunner({
      model: "sandbox-chat",
      ...ask(`Go [[sandbox: ${JSON.stringify(script)}]]`),
      thinking: { type: "enabled", budget_tokens: 1_024 },
      tools: [weather],
      stream,
    });
    const answer = await runner;
    expect(asked).toEqual([{ city: "Paris" }]);
    expect(answer.stop_reason).toBe("end_turn");
  },
);

function ask(content: string) {
  return { max_tokens: 2_000, messages: [{ role: "user" as const, content }] };
}
