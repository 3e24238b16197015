import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type default as OpenAI, NotFoundError } from "openai";
import { parseEvents, validateEvents } from "../../src/dialects/openai-responses/stream/validate-events.testkit.ts";
import { failureOf } from "../../src/records/failure-of.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { chat, clientOf, everyDialect, responsesOptions, says, sentUp, weather } from "./responses.testkit.ts";

/** `POST /v1/responses`, in front of providers of every dialect. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startTestGateway(responsesOptions);
  client = clientOf(gateway);
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

const requiredFields =
  `id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools
  tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature
  reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier
  prompt_cache_key`.split(/\s+/);

describe.each(everyDialect)("a response of %s", (model) => {
  test("has its fields and its record, and is stored unchanged", async () => {
    const response = await client.responses.create({ model, input: "Hello", metadata: { topic: "greeting" } });
    expect(response).toMatchObject({ status: "completed", store: true, previous_response_id: null });
    expect(response.output_text).toContain("Hello");
    const own = model === "native" ? requiredFields.filter((field) => field in response) : requiredFields;
    expect(Object.keys(response)).toEqual(expect.arrayContaining(own));
    expect(await client.responses.retrieve(response.id)).toEqual(response);
    expect(await gateway.record(response.id)).toMatchObject({ endpoint: "/v1/responses", status: "succeeded" });
  });

  test("streams valid events, and the last one is stored", async () => {
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

  test("continues over three turns with a tool loop, as JSON and streamed", async () => {
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
    const [up] = [JSON.stringify(sentUp(gateway))];
    for (const said of ["weather in Paris", "get_weather", "18 degrees", "And tomorrow?"]) expect(up).toContain(said);
  });

  test("is not stored with store: false", async () => {
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

  test("that is truncated is stored as incomplete", async () => {
    const response = await client.responses.create({
      model,
      input: says({ text: "word ".repeat(100) }),
      max_output_tokens: 16,
    });
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(await client.responses.retrieve(response.id)).toEqual(response);
  });

  test("that breaks off is not stored, and its stream ends with an error", async () => {
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
  ])("%j is rejected by name", async (body, param) => {
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

  test("is named by its place in the request, not in the conversation", async () => {
    const first = await client.responses.create({ model: chat, input: "Hello" });
    const answer = await send({ previous_response_id: first.id, input: [{ role: "user", content: 5 }] });
    expect(await answer.json()).toMatchObject({ error: { param: "input[0].content" } });
  });
});
