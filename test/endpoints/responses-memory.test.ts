import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type default as OpenAI, BadRequestError, NotFoundError } from "openai";
import { failureOf } from "../../src/records/failure-of.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { chat, clientOf, everyDialect, responsesOptions, says, sentUp, weather } from "./responses.testkit.ts";

/** The gateway's own store of responses: continued, referred to, listed and kept, for every provider. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startTestGateway(responsesOptions);
  client = clientOf(gateway);
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

describe("an id that a provider gives twice", () => {
  const cases = ["native", chat, "google", "anthropic"].flatMap((model) =>
    [false, true].map((stream) => [model, stream] as const),
  );
  test.each(cases)("at %s (stream: %p) does not stand for both answers", async (model, stream) => {
    const { key } = await gateway.newKey();
    const ask = async (text: string): Promise<string> => {
      const response = await gateway.fetch("/v1/responses", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, stream, input: says({ id: "resp_same", text }) }),
      });
      const ids = [...(await response.text()).matchAll(/"id":\s*"(resp_[^"]+)"/g)].map(([, id = ""]) => id);
      expect(new Set(ids).size).toBe(1);
      const record = await gateway.record(ids[0] ?? null, key);
      expect(record.id).toBe(response.headers.get("x-service-request-id") ?? "");
      return ids[0] ?? "";
    };
    const own = clientOf({ url: gateway.url, key });
    const [first, second] = [await ask("One."), await ask("Two.")];
    expect((await own.responses.retrieve(first)).output_text).toBe("One.");
    expect((await own.responses.retrieve(second)).output_text).toBe("Two.");
    await own.responses.create({ model: "native", input: "Go on.", previous_response_id: second });
    expect(JSON.stringify(sentUp(gateway))).toContain("Two.");
    expect(JSON.stringify(sentUp(gateway))).not.toContain("One.");
  });

  test("is the provider's own if nothing is stored", async () => {
    const input = says({ id: "resp_same" });
    expect((await client.responses.create({ model: "native", input, store: false })).id).toBe("resp_same");
  });
});

describe("a conversation", () => {
  test("continues at providers of different dialects, with its tools", async () => {
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
    const up = JSON.stringify(sentUp(gateway));
    for (const turn of order.keys()) expect(up).toContain(`Turn ${turn}:`);
  });

  test("keeps its encrypted reasoning at the same provider, and drops it at another", async () => {
    const ask = (model: string, input: string, previous: string | null = null) =>
      client.responses.create({ model, input, previous_response_id: previous, reasoning: { effort: "high" } });
    const first = await ask("native-reasoning", "Think.");
    expect(sentUp(gateway)).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(first.output[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) });
    const second = await ask("native-reasoning", "Think again.", first.id);
    expect(sentUp(gateway)).toMatchObject({
      input: [{ role: "user" }, first.output[0], first.output[1], { role: "user" }],
    });
    const third = await ask("other-reasoning", "And once more.", second.id);
    expect(third.status).toBe("completed");
    const { input } = sentUp(gateway) as { input: { type: string }[] };
    expect(input.map(({ type }) => type)).toEqual(["message", "message", "message", "message", "message"]);
  });

  test("is forwarded unchanged to a provider of the same dialect", async () => {
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

  test("can branch, with separate histories", async () => {
    const root = await client.responses.create({ model: chat, input: "Root" });
    const left = await client.responses.create({ model: chat, input: "Left", previous_response_id: root.id });
    await client.responses.create({ model: chat, input: "Right", previous_response_id: root.id });
    await client.responses.create({ model: chat, input: "Leaf", previous_response_id: left.id });
    const up = JSON.stringify(sentUp(gateway));
    expect(up).toContain("Left");
    expect(up).not.toContain("Right");
  });

  test("cannot be continued if a part was deleted, and the error says why", async () => {
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
    const { messages } = sentUp(gateway) as { messages: { role: string; content: unknown }[] };
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
    const up = JSON.stringify(sentUp(gateway));
    expect(up).toContain("The word is mango.");
    expect(up).toContain("You said: The word is mango.");
  });

  test("to unknown items are rejected by name", async () => {
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
  test("are listed in pages, including the history", async () => {
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
  ])("%s is rejected", async (query, param) => {
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

  test("is invisible to other keys", async () => {
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

  test("is found by the id that the caller saw, if the provider has other ids", async () => {
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
