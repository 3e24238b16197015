import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** `POST /v1/responses/compact`: a conversation as one item, which later requests take, at every kind of provider. */

const dialects = ["openai-responses", "openai-chat", "anthropic-messages", "gemini"] as const;

let gateway: TestGateway;
beforeAll(async () => {
  const root = (url: string) => url.replace(/\/v1$/, "");
  gateway = await startTestGateway({
    providers: (url) =>
      dialects.map((dialect) => ({
        id: dialect,
        dialects: [dialect],
        baseUrl: dialect.startsWith("openai") ? url : root(url),
      })),
    models: dialects.map((dialect) => ({
      id: `by-${dialect}`,
      targets: [{ provider: dialect, model: "sandbox-chat" }],
      prices: { input: 1_000_000, output: 2_000_000 },
      maxOutputTokens: 4_096,
    })),
  });
});
afterAll(() => gateway.stop());

type Body = Record<string, unknown> & { output: Record<string, unknown>[]; usage: Record<string, number> };

const post = (path: string, body: object) => gateway.fetch(path, { method: "POST", body: JSON.stringify(body) });
const user = (content: string) => ({ type: "message", role: "user", content });
const said = [
  user("My name is Ann."),
  { type: "message", role: "assistant", content: "Hello Ann." },
  user("I want tea."),
];
const tools = [{ type: "function", name: "find", parameters: { type: "object", properties: {} } }];
const sent = () => gateway.sandbox.requests.at(-1);
const sentText = () => new TextDecoder().decode(sent()?.body);

test("a Responses provider compacts by itself, and its item is passed on", async () => {
  const body = `{"model":"by-openai-responses",  "input":${JSON.stringify(said)}, "instructions":"Be kind."}`;
  const response = await gateway.fetch("/v1/responses/compact", { method: "POST", body });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as Body;
  expect(answer).toMatchObject({ object: "response.compaction", output: [{ type: "compaction" }] });
  expect(sent()?.path).toBe("/v1/responses/compact");
  expect(sentText()).toBe(body.replace("by-openai-responses", "sandbox-chat"));
  const record = await gateway.record(response.headers.get("x-service-request-id"));
  expect(record).toMatchObject({
    endpoint: "/v1/responses/compact",
    status: "succeeded",
    usage: { prompt_tokens: answer.usage.input_tokens, completion_tokens: answer.usage.output_tokens },
    billing: { status: "charged" },
  });
  expect(record.billing.amount_microusd).toBeGreaterThan(0);

  const next = await post("/v1/responses", {
    model: "by-openai-responses",
    input: [...answer.output, user("And now?")],
  });
  expect(next.status).toBe(200);
  expect(JSON.parse(sentText())).toMatchObject({ input: [answer.output[0], { role: "user" }] });
});

describe.each(dialects.slice(1))("at %s", (dialect) => {
  test("the model is asked for a summary, which later requests of any provider take", async () => {
    const response = await post("/v1/responses/compact", { model: `by-${dialect}`, input: said, tools });
    expect(response.status).toBe(200);
    const answer = (await response.json()) as Body;
    // Bun's `toMatchObject` writes into what it looks at.
    expect(structuredClone(answer)).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: "response.compaction",
      created_at: expect.any(Number),
      output: [{ type: "compaction", id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) }],
    });
    expect(answer.output).toHaveLength(1);
    expect(sentText()).toContain("Summarize the conversation so far");
    expect(sentText()).toContain("My name is Ann.");
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "succeeded", stream: false, billing: { status: "charged" } });
    expect(record.usage.prompt_tokens).toBe(answer.usage.input_tokens ?? -1);

    for (const other of dialects) {
      const next = await post("/v1/responses", { model: `by-${other}`, input: [...answer.output, user("And now?")] });
      expect(next.status).toBe(200);
      expect(sentText()).toContain("Summary of the conversation so far");
    }
  });
});

test("what went before is compacted too, also what another provider has said", async () => {
  const first = (await (await post("/v1/responses", { model: "by-openai-chat", input: said })).json()) as Body;
  for (const dialect of dialects) {
    const response = await post("/v1/responses/compact", {
      model: `by-${dialect}`,
      previous_response_id: first.id,
      input: [user("And cake.")],
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ output: [{ type: "compaction" }] });
    expect(sentText()).toContain("My name is Ann.");
    expect(sentText()).toContain("And cake.");
    expect(sentText()).not.toContain(String(first.id));
  }
});

test("it is not kept as a response", async () => {
  const response = await post("/v1/responses/compact", { model: "by-openai-chat", input: said });
  const { id } = (await response.json()) as Body;
  expect((await gateway.fetch(`/v1/responses/${String(id)}`)).status).toBe(404);
});

test.each([
  ["stream", { stream: true }],
  ["model", { model: undefined }],
  ["background", { background: true }],
])("refused with the name of the field: %s", async (param, fields) => {
  const response = await post("/v1/responses/compact", { model: "by-openai-chat", input: said, ...fields });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

test("an answer that is no compaction is a fault, and free", async () => {
  const sandbox = { fault: { kind: "malformed_json" } };
  const response = await post("/v1/responses/compact", { model: "by-openai-responses", input: said, sandbox });
  expect(response.status).toBe(502);
  const record = await gateway.record(response.headers.get("x-service-request-id"));
  expect(record).toMatchObject({ status: "failed", billing: { amount_microusd: 0 } });
});

test("only POST is served, and the path of a response is not shadowed", async () => {
  expect((await gateway.fetch("/v1/responses/compact")).status).toBe(405);
  expect((await gateway.fetch("/v1/responses/resp_nowhere")).status).toBe(404);
});
