import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI, { BadRequestError, NotFoundError } from "openai";
import { parseEvents, validateEvents } from "../src/dialects/openai-responses/validate-events.ts";
import { failureOf } from "../src/records/failure-of.example.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "./gateway.ts";

/** The Responses API with the gateway's own memory, in front of providers of every dialect. */

const options: TestGatewayOptions = {
  providers: (url) => [
    { id: "native", dialects: ["openai-responses"] },
    { id: "other-native", dialects: ["openai-responses"] },
    { id: "google", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, "") },
    { id: "anthropic", dialects: ["anthropic-messages"], baseUrl: url.replace(/\/v1$/, "") },
  ],
  models: [
    { id: "native", targets: [{ provider: "native", model: "sandbox-chat" }] },
    { id: "native-reasoning", targets: [{ provider: "native", model: "sandbox-reasoning" }] },
    { id: "other-reasoning", targets: [{ provider: "other-native", model: "sandbox-reasoning" }] },
    { id: "google", targets: [{ provider: "google", model: "sandbox-chat" }] },
    { id: "anthropic", targets: [{ provider: "anthropic", model: "sandbox-chat" }] },
  ],
};

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startTestGateway(options);
  client = clientOf(gateway);
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

function clientOf({ url, key }: Pick<TestGateway, "url" | "key">): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

const chat = "sandbox-chat";
const everyDialect = [chat, "native", "google", "anthropic"];
const says = (script: object, text = "Hi") => `${text} [[sandbox: ${JSON.stringify(script)}]]`;

const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "get_weather",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

/** The body of the newest request that the provider received. */
function sentUp(): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body));
}

const requiredFields =
  `id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools
  tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature
  reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier
  prompt_cache_key`.split(/\s+/);

describe.each(everyDialect)("a response of %s", (model) => {
  test("has its fields, its record, and is found again as it was", async () => {
    const response = await client.responses.create({ model, input: "Hello", metadata: { topic: "greeting" } });
    expect(response).toMatchObject({ status: "completed", store: true, previous_response_id: null });
    expect(response.output_text).toContain("Hello");
    const own = model === "native" ? requiredFields.filter((field) => field in response) : requiredFields;
    expect(Object.keys(response)).toEqual(expect.arrayContaining(own));
    expect(await client.responses.retrieve(response.id)).toEqual(response);
    expect(await gateway.record(response.id)).toMatchObject({ endpoint: "/v1/responses", status: "succeeded" });
  });

  test("streams valid events, of which the last is what is stored", async () => {
    const answer = await gateway.fetch("/v1/responses", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, input: "Hello", stream: true }),
    });
    expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
    const events = parseEvents(await answer.text());
    const last = validateEvents(events);
    expect(last).toMatchObject({ status: "completed", store: true });
    for (const event of events) {
      if (event["response"]) expect(event["response"]).toMatchObject({ id: last["id"], store: true });
    }
    const found = await gateway.fetch(`/v1/responses/${String(last["id"])}`);
    expect(await found.json()).toEqual(last);
    expect((await gateway.record(String(last["id"]))).id).toBe(answer.headers.get("x-service-request-id") ?? "");
  });

  test("is continued over three turns with a tool loop, whole and streamed", async () => {
    const first = await client.responses.create({ model, input: "What is the weather in Paris?", tools: [weather] });
    const [call] = first.output;
    if (call?.type !== "function_call") throw new Error("The model called no tool.");
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      tools: [weather],
      input: [{ type: "function_call_output", call_id: call.call_id, output: "18 degrees" }],
    });
    expect(second.previous_response_id).toBe(first.id);
    expect(second.output_text).toContain("18 degrees");
    const stream = client.responses.stream({ model, previous_response_id: second.id, input: "And tomorrow?" });
    const third = await stream.finalResponse();
    expect(third.previous_response_id).toBe(second.id);
    expect(third.output_text).toContain("And tomorrow?");
    const [up] = [JSON.stringify(sentUp())];
    for (const said of ["weather in Paris", "get_weather", "18 degrees", "And tomorrow?"]) expect(up).toContain(said);
  });

  test("that is not to be stored is not", async () => {
    const response = await client.responses.create({ model, input: says({ id: "resp_unkept" }), store: false });
    expect(response).toMatchObject({ store: false });
    expect(await failureOf(client.responses.retrieve(response.id))).toBeInstanceOf(NotFoundError);
    const next = client.responses.create({ model, input: "More", previous_response_id: response.id });
    expect(await failureOf(next)).toMatchObject({
      status: 400,
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
  });

  test("that was cut short is stored as it ended", async () => {
    const response = await client.responses.create({
      model,
      input: says({ text: "word ".repeat(100) }),
      max_output_tokens: 16,
    });
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(await client.responses.retrieve(response.id)).toEqual(response);
  });

  test("that breaks off is not stored, and its stream says so", async () => {
    const answer = await gateway.fetch("/v1/responses", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model,
        stream: true,
        input: says({ id: "resp_broken", chunks: 6, fault: { kind: "cut", after: 5 } }),
      }),
    });
    const events = parseEvents(await answer.text());
    expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, index) => index));
    expect(events.map((event) => event["type"]).slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    expect(events.map((event) => event["type"]).slice(-2)).toEqual(["error", "response.failed"]);
    const id = /"id":"(resp_[^"]+)"/.exec(JSON.stringify(events[0]))?.[1] ?? "";
    expect(events.at(-1)).toMatchObject({ response: { id, status: "failed", error: { message: expect.any(String) } } });
    expect(await failureOf(client.responses.retrieve(id))).toBeInstanceOf(NotFoundError);
  });
});

describe("a conversation", () => {
  test("moves between providers of different dialects, with its tools", async () => {
    let previous: string | null = null;
    const order = [chat, "native", "google", "anthropic", chat, "anthropic", "google", "native"];
    for (const [turn, model] of order.entries()) {
      const asked: OpenAI.Responses.Response = await client.responses.create({
        model,
        previous_response_id: previous,
        tools: [weather],
        input: `Turn ${turn}: the weather in Rome?`,
      });
      const [call] = asked.output.filter((item) => item.type === "function_call");
      if (!call) throw new Error(`${model} called no tool.`);
      const answered: OpenAI.Responses.Response = await client.responses.create({
        model,
        previous_response_id: asked.id,
        tools: [weather],
        input: [{ type: "function_call_output", call_id: call.call_id, output: `${turn * 11} degrees` }],
      });
      expect(answered.output_text).toContain(`${turn * 11} degrees`);
      previous = answered.id;
    }
    const up = JSON.stringify(sentUp());
    for (const turn of order.keys()) expect(up).toContain(`Turn ${turn}:`);
  });

  test("keeps its reasoning with the provider that sealed it, and loses it with another", async () => {
    const ask = (model: string, input: string, previous: string | null = null) =>
      client.responses.create({ model, input, previous_response_id: previous, reasoning: { effort: "high" } });
    const first = await ask("native-reasoning", "Think.");
    expect(sentUp()).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(first.output[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) });
    const second = await ask("native-reasoning", "Think again.", first.id);
    expect(sentUp()).toMatchObject({ input: [{ role: "user" }, first.output[0], first.output[1], { role: "user" }] });
    const third = await ask("other-reasoning", "And once more.", second.id);
    expect(third.status).toBe("completed");
    const { input } = sentUp() as { input: { type: string }[] };
    expect(input.map(({ type }) => type)).toEqual(["message", "message", "message", "message", "message"]);
  });

  test("goes up to a provider of the same dialect as it was written", async () => {
    const first = await client.responses.create({ model: "native", input: "Hello" });
    const body = `{"model":"native", "store" : true,"previous_response_id":"${first.id}","input":[ {"role":"user","content":"1","sandbox_number":12345678901234567890} ], "temperature":1.0}`;
    const answer = await gateway.fetch("/v1/responses", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(200);
    const up = new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);
    expect(up).toStartWith('{"model":"sandbox-chat", "store" : false,"previous_response_id":null,"input":[{');
    expect(up).toContain('{"role":"user","content":"1","sandbox_number":12345678901234567890}], "temperature":1.0');
    expect(up).toContain(JSON.stringify(first.output[0]));
  });

  test("branches, and each branch remembers its own", async () => {
    const root = await client.responses.create({ model: chat, input: "Root" });
    const left = await client.responses.create({ model: chat, input: "Left", previous_response_id: root.id });
    await client.responses.create({ model: chat, input: "Right", previous_response_id: root.id });
    await client.responses.create({ model: chat, input: "Leaf", previous_response_id: left.id });
    const up = JSON.stringify(sentUp());
    expect(up).toContain("Left");
    expect(up).not.toContain("Right");
  });

  test("whose middle was deleted cannot go on, and says why", async () => {
    const first = await client.responses.create({ model: chat, input: "One" });
    const second = await client.responses.create({ model: chat, input: "Two", previous_response_id: first.id });
    await client.responses.delete(first.id);
    const third = client.responses.create({ model: chat, input: "Three", previous_response_id: second.id });
    expect(await failureOf(third)).toMatchObject({
      status: 400,
      code: "previous_response_not_found",
      message: expect.stringContaining(first.id),
    });
  });

  test("does not carry instructions over", async () => {
    const first = await client.responses.create({ model: chat, input: "One", instructions: "Speak French." });
    await client.responses.create({
      model: chat,
      input: "Two",
      instructions: "Speak Dutch.",
      previous_response_id: first.id,
    });
    const { messages } = sentUp() as { messages: { role: string; content: unknown }[] };
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(JSON.stringify(messages)).not.toContain("French");
  });
});

describe("references", () => {
  test.each(everyDialect)("to items of outputs and inputs are resolved for %s", async (model) => {
    const first = await client.responses.create({ model: chat, input: "The word is mango." });
    const said = first.output[0]?.id ?? "";
    const [asked] = (await client.responses.inputItems.list(first.id)).data;
    const next = await client.responses.create({
      model,
      input: [
        { type: "item_reference", id: asked?.id ?? "" },
        { type: "item_reference", id: said },
        { role: "user", content: "Which word?" },
      ],
    });
    expect(next.status).toBe("completed");
    const up = JSON.stringify(sentUp());
    expect(up).toContain("The word is mango.");
    expect(up).toContain("You said: The word is mango.");
  });

  test("to what is not there are refused by name", async () => {
    const other = await gateway.newKey();
    const stranger = clientOf({ url: gateway.url, key: other.key });
    const theirs = await stranger.responses.create({ model: chat, input: "Secret" });
    const id = theirs.output[0]?.id ?? "";
    const asked = client.responses.create({
      model: chat,
      input: [
        { role: "user", content: "Hi" },
        { type: "item_reference", id },
      ],
    });
    expect(await failureOf(asked)).toMatchObject({ status: 400, param: "input[1].id" });
  });
});

describe("input items", () => {
  test("are listed page by page, with all that came before", async () => {
    const first = await client.responses.create({ model: chat, input: "One" });
    const second = await client.responses.create({
      model: chat,
      previous_response_id: first.id,
      input: [
        { role: "user", content: "Two" },
        { role: "user", content: "Three" },
      ],
    });
    const texts: string[] = [];
    for await (const item of client.responses.inputItems.list(second.id, { limit: 2, order: "asc" })) {
      texts.push(JSON.stringify(item));
    }
    expect(texts.map((text) => /One|Two|Three/.exec(text)?.[0])).toEqual(["One", "One", "Two", "Three"]);
    const newest = await client.responses.inputItems.list(second.id, { limit: 1 });
    expect(newest).toMatchObject({ has_more: true, data: [{ content: [{ text: "Three" }] }] });
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=x", "limit"],
    ["order=up", "order"],
  ])("%s is refused", async (query, param) => {
    const { id } = await client.responses.create({ model: chat, input: "One" });
    const answer = await gateway.fetch(`/v1/responses/${id}/input_items?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
  });
});

describe("a stored response", () => {
  test("is gone once deleted", async () => {
    const { id } = await client.responses.create({ model: chat, input: "Hello" });
    const deleted = await gateway.fetch(`/v1/responses/${id}`, { method: "DELETE" });
    expect(await deleted.json()).toEqual({ id, object: "response", deleted: true });
    expect(deleted.headers.get("x-service-request-id")).toStartWith("req_");
    expect(await failureOf(client.responses.retrieve(id))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(client.responses.delete(id))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(client.responses.inputItems.list(id))).toBeInstanceOf(NotFoundError);
  });

  test("is another key's secret", async () => {
    const { id } = await client.responses.create({ model: chat, input: "Hello" });
    const other = await gateway.newKey();
    const stranger = clientOf({ url: gateway.url, key: other.key });
    for (const call of [
      () => stranger.responses.retrieve(id),
      () => stranger.responses.delete(id),
      () => stranger.responses.inputItems.list(id),
      () => stranger.responses.cancel(id),
    ]) {
      expect(await failureOf(call())).toMatchObject({ status: 404, code: "response_not_found" });
    }
    const next = stranger.responses.create({ model: chat, input: "More", previous_response_id: id });
    expect(await failureOf(next)).toMatchObject({ status: 400, code: "previous_response_not_found" });
    expect((await client.responses.retrieve(id)).id).toBe(id);
    const nobody = await fetch(`${gateway.url}/v1/responses/${id}`);
    expect(nobody.status).toBe(401);
  });

  test("cannot be cancelled or streamed", async () => {
    const { id } = await client.responses.create({ model: chat, input: "Hello" });
    expect(await failureOf(client.responses.cancel(id))).toBeInstanceOf(BadRequestError);
    expect(await failureOf(client.responses.cancel("resp_none"))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(client.responses.retrieve(id, { stream: true }))).toMatchObject({
      status: 400,
      param: "stream",
    });
  });

  test("is found by the id a caller saw, where the provider has other ids", async () => {
    for (const stream of [false, true]) {
      const answer = await gateway.fetch("/v1/responses", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "native", stream, input: says({ id: "gen-1/2" }) }),
      });
      const id = /"id":"(resp_[^"]+)"/.exec(await answer.text())?.[1] ?? "";
      expect((await client.responses.retrieve(id)).id).toBe(id);
      expect((await gateway.record(id)).id).toBe(answer.headers.get("x-service-request-id") ?? "");
    }
  });
});

describe("bad input", () => {
  const send = (body: object) =>
    gateway.fetch("/v1/responses", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: chat, input: "Hello", ...body }),
    });

  test.each([
    [{ model: undefined }, "model"],
    [{ input: undefined }, "input"],
    [{ input: 5 }, "input"],
    [{ input: [{ role: "nobody", content: "x" }] }, "input[0].role"],
    [{ store: "yes" }, "store"],
    [{ previous_response_id: 5 }, "previous_response_id"],
    [{ previous_response_id: `resp_${"x".repeat(300)}` }, "previous_response_id"],
    [{ previous_response_id: "resp_\u0000" }, "previous_response_id"],
    [{ background: true }, "background"],
    [{ conversation: "conv_1" }, "conversation"],
    [{ stream: "yes" }, "stream"],
    [{ temperature: "hot" }, "temperature"],
    [{ tools: {} }, "tools"],
    [{ text: { format: { type: "xml" } } }, "text.format.type"],
  ])("%j is refused by name", async (body, param) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      error: {
        type: "invalid_request_error",
        message: expect.any(String),
        code: expect.any(String),
        param,
        request_id: answer.headers.get("x-service-request-id"),
      },
    });
    expect(gateway.sandbox.requests).toHaveLength(0);
  });

  test("of a turn is named by its place in that turn", async () => {
    const first = await client.responses.create({ model: chat, input: "Hello" });
    const answer = await send({ previous_response_id: first.id, input: [{ role: "user", content: 5 }] });
    expect(await answer.json()).toMatchObject({ error: { param: "input[0].content" } });
  });
});
