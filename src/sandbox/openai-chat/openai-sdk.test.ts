import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from "openai";
import { type Sandbox, startSandbox } from "../server.ts";

let sandbox: Sandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKeys: ["sk-test"] });
  client = new OpenAI({ baseURL: `${sandbox.url}/v1`, apiKey: "sk-test", maxRetries: 0 });
});
afterAll(() => sandbox.stop());

const model = "sandbox-chat";
const user = (content: string) => ({ role: "user" as const, content });
const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

describe("chat", () => {
  test("an echo with consistent usage", async () => {
    const answer = await client.chat.completions.create({ model, messages: [user("Good morning")] });
    expect(answer.choices[0]?.message.content).toBe("You said: Good morning");
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(answer.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 6, total_tokens: 13 });
  });

  test("limits, stop sequences and several choices", async () => {
    const messages = [user("one two three four five six")];
    const short = await client.chat.completions.create({ model, messages, max_completion_tokens: 3 });
    expect(short.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "You said: on" } });
    expect(short.usage?.completion_tokens).toBe(3);
    const stopped = await client.chat.completions.create({ model, messages, stop: [" three"], n: 2, logprobs: true });
    expect(stopped.choices.map((choice) => choice.message.content)).toEqual(Array(2).fill("You said: one two"));
    expect(stopped.choices[0]?.logprobs?.content?.map((entry) => entry.token).join("")).toBe("You said: one two");
  });

  test("images are described without being fetched", async () => {
    const png = "data:image/png;base64,iVBORw0KGgo=";
    const parts = [png, "https://example.com/cat.jpg"].map((url) => ({
      type: "image_url" as const,
      image_url: { url },
    }));
    const content = [{ type: "text" as const, text: "Look" }, ...parts];
    const answer = await client.chat.completions.create({ model, messages: [{ role: "user", content }] });
    expect(answer.choices[0]?.message.content).toContain(
      "I see 2 images (image/png, 8 bytes; https://example.com/cat.jpg)",
    );
  });

  test("JSON with a schema, and any JSON", async () => {
    const schema = { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } } };
    const format = { type: "json_schema" as const, json_schema: { name: "person", schema } };
    const answer = await client.chat.completions.create({ model, messages: [user("Who?")], response_format: format });
    expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ name: "Ada", age: 1 });
    const any = await client.chat.completions.create({
      model,
      messages: [user("as json")],
      response_format: { type: "json_object" },
    });
    expect(JSON.parse(any.choices[0]?.message.content ?? "")).toEqual({ answer: "You said: as json" });
  });

  test("a reasoning model returns and counts its reasoning", async () => {
    const request = { model: "sandbox-reasoning", messages: [user("Hi")] };
    const answer = await client.chat.completions.create(request);
    expect(answer.choices[0]?.message).toHaveProperty("reasoning_content");
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const silent = await client.chat.completions.create({ ...request, reasoning_effort: "none" });
    expect(silent.choices[0]?.message).not.toHaveProperty("reasoning_content");
  });
});

describe("tools", () => {
  test("a call for each city, then an answer from the results", async () => {
    const messages = [user("What is the weather in Paris and New York?")];
    const asked = await client.chat.completions.create({ model, messages, tools: [weather] });
    const message = asked.choices[0]!.message;
    expect(asked.choices[0]?.finish_reason).toBe("tool_calls");
    const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
    expect(calls.map((call) => JSON.parse(call.function.arguments))).toEqual([{ city: "Paris" }, { city: "New York" }]);
    const results = calls.map((call, index) => ({
      role: "tool" as const,
      tool_call_id: call.id,
      content: `${20 + index} degrees`,
    }));
    const answer = await client.chat.completions.create({
      model,
      messages: [...messages, message, ...results],
      tools: [weather],
    });
    expect(answer.choices[0]?.message.content).toBe(
      "Here is what the tools found: get_weather says 20 degrees; get_weather says 21 degrees.",
    );
  });

  test("tool_choice and parallel_tool_calls are applied", async () => {
    const base = { model, tools: [weather] };
    const count = async (options: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, text = "Hello") => {
      const answer = await client.chat.completions.create({ ...base, messages: [user(text)], ...options });
      return answer.choices[0]?.message.tool_calls?.length ?? 0;
    };
    expect(await count({})).toBe(0);
    expect(await count({ tool_choice: "required" })).toBe(1);
    expect(await count({ tool_choice: { type: "function", function: { name: "get_weather" } } })).toBe(1);
    expect(await count({ tool_choice: "none" }, "weather in Oslo")).toBe(0);
    expect(await count({ parallel_tool_calls: false }, "weather in Oslo and Rome")).toBe(1);
  });
});

describe("streams", () => {
  test("usage is in OpenAI's format, and only if requested", async () => {
    const request = { model, messages: [user("Hi")], stream: true as const };
    const plain = await Array.fromAsync(await client.chat.completions.create(request));
    expect(plain.every((chunk) => !("usage" in chunk))).toBe(true);
    const asked = { ...request, stream_options: { include_usage: true } };
    const counted = await Array.fromAsync(await client.chat.completions.create(asked));
    expect(counted.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(counted.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 8 } });
  });

  test.each(["sandbox-chat", "sandbox-reasoning"])("%s gives the same answer streamed", async (model) => {
    const request = { model, messages: [user("weather in Paris and Rome")], tools: [weather], n: 2 };
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    const said = (answer: OpenAI.ChatCompletion) =>
      answer.choices.map(({ message, finish_reason }) => [
        message.content,
        message.tool_calls?.map((call) => (call.type === "function" ? call.function.arguments : null)),
        finish_reason,
      ]);
    expect(said(streamed)).toEqual(said(whole));
  });

  test("a disconnect during a stream is recorded", async () => {
    sandbox.reset();
    const messages = [user('Hi [[sandbox: {"fault": {"kind": "stall", "after": 3}}]]')];
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "You") break;
    await sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
    expect(sandbox.requests[0]?.writesSent).toBe(3);
  });
});

describe("errors become the SDK's classes", () => {
  const failing = (text: string, options: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
    client.chat.completions.create({ model, messages: [user(text)], ...options }).catch((error: unknown) => error);

  test("invalid request, unknown model, rate limit, invalid key", async () => {
    expect(await failing("Hi", { max_tokens: 0 })).toBeInstanceOf(BadRequestError);
    expect(await failing("Hi", { model: "nobody" })).toBeInstanceOf(NotFoundError);
    const limited = '[[sandbox: {"fault": {"kind": "status", "status": 429, "code": "rate_limit_exceeded"}}]]';
    expect(await failing(limited)).toBeInstanceOf(RateLimitError);
    const stranger = client.withOptions({ apiKey: "sk-other" });
    const refused = await stranger.models.list().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AuthenticationError);
  });

  test("an error event during a stream", async () => {
    const messages = [user('[[sandbox: {"fault": {"kind": "error_event", "after": 2}}]]')];
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    expect(await Array.fromAsync(stream).catch((error: unknown) => error)).toBeInstanceOf(APIError);
  });
});
