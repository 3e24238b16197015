import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DialectName } from "../dialects/names.testkit.ts";
import { isObject, listOrEmpty, type JsonObject } from "../../src/json/values.ts";
import { upstreamModels } from "../dialects/gateway.testkit.ts";
import { scripted } from "../dialects/post.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Requests as Codex sends them with its default settings, to models whose provider is not OpenAI. */

const elsewhere: readonly DialectName[] = ["openai-chat", "anthropic-messages", "gemini"];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    providers: (url) =>
      elsewhere.map((dialect) => ({
        id: dialect,
        dialects: [dialect],
        baseUrl: dialect.startsWith("openai") ? url : url.replace(/\/v1$/, ""),
      })),
    models: elsewhere.flatMap((dialect) => {
      const targets = [{ provider: dialect, model: upstreamModels[dialect] }];
      return [
        { id: dialect, targets, parameters: {} },
        { id: `strict-${dialect}`, targets, parameters: {}, hostedTools: "refuse" as const },
      ];
    }),
    sandbox: { models: Object.fromEntries(Object.values(upstreamModels).map((model) => [model, {}])) },
  });
});
afterAll(() => gateway.stop());

const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
const shell = { type: "function", name: "shell", description: "Runs.", parameters, strict: false };
const crm = {
  type: "namespace",
  name: "mcp__crm",
  description: "The customers.",
  tools: [{ type: "function", name: "find", description: "Finds one.", parameters, strict: false }],
};
const search = { type: "web_search", external_web_access: true };
const prompt = scripted({ tool_calls: [{ name: "mcp__crm__find", arguments: { query: "Ann" } }] });
const asked = { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] };

function ask(model: string, more: JsonObject = {}): Promise<Response> {
  const body = { model, input: [asked], tools: [shell, crm, search], tool_choice: "auto", store: false, ...more };
  return gateway.fetch("/v1/responses", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const objects = (list: unknown) => listOrEmpty(list).filter(isObject);
const upstreamText = () => new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);

describe.each(elsewhere)("at a %s provider", (dialect) => {
  test("functions of a namespace have one name at the provider, and two for the caller", async () => {
    const response = await ask(dialect);
    const answer = (await response.json()) as JsonObject;
    expect({ status: response.status, answer }).toMatchObject({ status: 200 });
    expect(upstreamText()).toContain('"mcp__crm__find"');
    const call = objects(answer.output).find(({ type }) => type === "function_call");
    expect(call).toMatchObject({ namespace: "mcp__crm", name: "find", arguments: '{"query":"Ann"}' });
    expect(answer.tools).toMatchObject([shell, crm, search]);

    const output = { type: "function_call_output", call_id: call?.call_id, output: "Ann Smith" };
    const next = await ask(dialect, { input: [asked, ...objects(answer.output), output] });
    expect({ status: next.status, body: await next.text() }).toMatchObject({ status: 200 });
    expect(upstreamText()).toContain("Ann Smith");
  });

  test("in a stream too, in every event", async () => {
    const stream = await (await ask(dialect, { stream: true })).text();
    const events = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as JsonObject);
    const items = events.flatMap(({ item, response }) => [
      item,
      ...(isObject(response) ? objects(response.output) : []),
    ]);
    const calls = items.filter(isObject).filter(({ type }) => type === "function_call");
    expect(calls.length).toBeGreaterThanOrEqual(3);
    for (const call of calls) expect(call).toMatchObject({ namespace: "mcp__crm", name: "find" });
    expect(events.find(({ type }) => type === "response.function_call_arguments.done")).toMatchObject({ name: "find" });
  });

  test("a hosted tool beside the caller's own is left out with a warning", async () => {
    const response = await ask(dialect);
    expect(response.headers.get("x-service-warnings")).toContain("tools[2]");
    expect(upstreamText()).not.toContain("web_search");
    await response.text();
  });

  test("and refused if it is the only tool, or if the tool choice requires it", async () => {
    for (const [model, more, path] of [
      [dialect, { tools: [search] }, "tools[0]"],
      [dialect, { tool_choice: { type: "web_search" } }, "tools[2]"],
      [`strict-${dialect}`, {}, "tools[2]"],
    ] as const) {
      const sent = gateway.sandbox.requests.length;
      const response = await ask(model, more);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: {
          code: "unsupported_parameter",
          param: path,
          message: expect.stringMatching(/'web_search'.*leave it out/),
        },
      });
      expect(gateway.sandbox.requests.length).toBe(sent);
    }
  });

  test("an empty assistant message is left out", async () => {
    const reasoning = { type: "reasoning", summary: [], encrypted_content: "sealed" };
    const empty = { type: "message", role: "assistant", content: [{ type: "output_text", text: "" }] };
    const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
    const response = await ask(dialect, { input: [user("One"), reasoning, empty, user("Two")] });
    expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 200 });
    expect(upstreamText()).not.toMatch(/"role":"(assistant|model)"/);
  });
});
