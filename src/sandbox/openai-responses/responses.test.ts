import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Sandbox, startSandbox } from "../server.ts";

let sandbox: Sandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ apiKey: "any", baseURL: `${sandbox.url}/v1`, maxRetries: 0 });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

/** Returns the error of the SDK; null if there is none. */
function failure(call: PromiseLike<unknown>): PromiseLike<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}

const model = "sandbox-chat";
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

describe("an answer", () => {
  test("is an echo with counts, and is the same streamed", async () => {
    const whole = await client.responses.create({ model, input: "Hello", instructions: "Be kind." });
    expect(whole).toMatchObject({ status: "completed", output_text: "You said: Hello", instructions: "Be kind." });
    expect(whole.usage).toMatchObject({
      total_tokens: (whole.usage?.input_tokens ?? 0) + (whole.usage?.output_tokens ?? 0),
    });
    const streamed = await client.responses.stream({ model, input: "Hello", instructions: "Be kind." }).finalResponse();
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.usage).toEqual(whole.usage);
  });

  test("has consecutively numbered events, and ends with the complete response", async () => {
    const events = [];
    for await (const event of await client.responses.create({ model, input: "Hello", stream: true }))
      events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } });
  });

  test("is truncated at its limit with the right status", async () => {
    const input = `[[sandbox: ${JSON.stringify({ text: "word ".repeat(100) })}]]`;
    const cut = await client.responses.create({ model, input, max_output_tokens: 16 });
    expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(cut.output[0]).toMatchObject({ status: "incomplete" });
  });

  test("supports schemas, images, refusals and log probabilities", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "integer" } },
      required: ["a"],
      additionalProperties: false,
    };
    const format = { type: "json_schema", name: "a", schema, strict: true } as const;
    const json = await client.responses.create({ model, input: "Hi", text: { format } });
    expect(JSON.parse(json.output_text)).toEqual({ a: expect.any(Number) });

    const image_url = "data:image/png;base64,iVBORw0KGgo=";
    const content = [{ type: "input_image", image_url, detail: "auto" } as const];
    const seen = await client.responses.create({ model, input: [{ role: "user", content }] });
    expect(seen.output_text).toContain("image/png, 8 bytes");

    const refused = await client.responses
      .stream({ model, input: '[[sandbox: {"refusal": "No, thanks."}]]' })
      .finalResponse();
    expect(refused.output).toMatchObject([{ content: [{ type: "refusal", refusal: "No, thanks." }] }]);

    const include = ["message.output_text.logprobs" as const];
    const [message] = (await client.responses.create({ model, input: "Hi", include, top_logprobs: 1 })).output;
    const [said] = message?.type === "message" ? message.content : [];
    expect(said?.type === "output_text" ? said.logprobs?.length : 0).toBeGreaterThan(0);
  });
});

describe("tools", () => {
  const input = "What is the weather in Paris and Rome?";

  test("two parallel calls, then an answer from their results", async () => {
    for (const stream of [false, true]) {
      const request = { model, input, tools: [weather] };
      const first: OpenAI.Responses.Response = stream
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      const calls = first.output.filter((item) => item.type === "function_call");
      expect(calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([{ city: "Paris" }, { city: "Rome" }]);
      const outputs = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "sunny" }) as const);
      const second = await client.responses.create({
        model,
        input: outputs,
        tools: [weather],
        previous_response_id: first.id,
      });
      expect(second.output_text).toContain("sunny");
    }
  });

  test("a function is echoed with all its members", async () => {
    const tools = [{ type: "function" as const, name: "bare", parameters: { type: "object" }, strict: null }];
    const response = await client.responses.create({ model, input: "Hi", tools });
    expect(response.tools).toMatchObject([{ name: "bare", description: null, strict: true }]);
  });

  test("a free-text tool is called with text", async () => {
    const tools = [{ type: "custom", name: "write_sql" } as const];
    const request = { model, input: "Use write_sql", tools, tool_choice: "required" as const };
    const { output } = await client.responses.stream(request).finalResponse();
    expect(output).toMatchObject([{ type: "custom_tool_call", name: "write_sql", input: expect.any(String) }]);
  });
});

describe("reasoning", () => {
  const request = { model: "sandbox-reasoning", input: "Why?" };

  test("is shown and encrypted only if requested", async () => {
    const hidden = await client.responses.create(request);
    expect(hidden.output[0]).toMatchObject({ type: "reasoning", summary: [] });
    expect(hidden.output[0]).not.toHaveProperty("encrypted_content");
    const shown = await client.responses
      .stream({ ...request, reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] })
      .finalResponse();
    expect(shown.output[0]).toMatchObject({
      type: "reasoning",
      summary: [{ type: "summary_text", text: expect.any(String) }],
      encrypted_content: expect.any(String),
    });
    expect(shown.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const off = await client.responses.create({ ...request, reasoning: { effort: "none" } });
    expect(off.output.map((item) => item.type)).toEqual(["message"]);
  });

  test("is accepted back encrypted, and rejected if changed", async () => {
    const include = ["reasoning.encrypted_content" as const];
    const { output } = await client.responses.create({ ...request, store: false, include });
    const again = (items: typeof output) =>
      client.responses.create({
        ...request,
        input: [...items, { role: "user", content: "And?" }] as OpenAI.Responses.ResponseInput,
      });
    expect((await again(output)).status).toBe("completed");
    const forged = output.map((item) =>
      item.type === "reasoning" ? { ...item, encrypted_content: "gAAAAABforged" } : item,
    );
    expect(await failure(again(forged))).toMatchObject({ status: 400, code: "invalid_encrypted_content" });
  });
});

describe("the store", () => {
  test("a response is retrieved, listed and deleted, unless store is false", async () => {
    const made = await client.responses.create({ model, input: "Hello" });
    expect(await client.responses.retrieve(made.id)).toMatchObject({ id: made.id, output: made.output });
    const items = await client.responses.inputItems.list(made.id);
    expect(items.data).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
    ]);
    await client.responses.delete(made.id);
    expect(await failure(client.responses.retrieve(made.id))).toMatchObject({ status: 404 });
    const unkept = await client.responses.create({ model, input: "Hello", store: false });
    expect(await failure(client.responses.inputItems.list(unkept.id))).toMatchObject({ status: 404 });
    const input = [{ role: "user", content: "Hi" } as const];
    expect(await failure(client.responses.create({ model, input, previous_response_id: unkept.id }))).toMatchObject({
      status: 400,
      code: "previous_response_not_found",
    });
  });

  test("an item can be referred to by its id", async () => {
    const made = await client.responses.create({ model, input: "Hello" });
    const id = String(made.output[0]?.id);
    const input = [{ type: "item_reference", id } as const, { role: "user", content: "And?" } as const];
    expect((await client.responses.create({ model, input })).output_text).toBe("You said: And?");
  });

  test("only background responses can be cancelled", async () => {
    const made = await client.responses.create({ model, input: "Hello" });
    expect(await failure(client.responses.cancel(made.id))).toMatchObject({ status: 400 });
  });
});

test("input token counts equal the usage of an answer", async () => {
  const counted = await client.responses.inputTokens.count({ model, input: "Hello" });
  const made = await client.responses.create({ model, input: "Hello" });
  expect(counted).toEqual({ object: "response.input_tokens", input_tokens: made.usage?.input_tokens ?? 0 });
});

describe("faults", () => {
  test("an error during a stream is an error in the SDK", async () => {
    const input = '[[sandbox: {"fault": {"kind": "error_event", "after": 3, "message": "Too hot."}}]]';
    expect(await failure(client.responses.stream({ model, input }).finalResponse())).toMatchObject({
      message: expect.stringContaining("Too hot."),
    });
  });

  test("a stream without its last event ends normally", async () => {
    const types = [];
    const input = 'Hello [[sandbox: {"no_done": true}]]';
    for await (const { type } of await client.responses.create({ model, input, stream: true })) types.push(type);
    expect(types.at(-1)).toBe("response.output_item.done");
  });
});
