import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The official SDK with another base URL and key. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [{ id: "family/chat", targets: [{ provider: "sandbox", model: "sandbox-chat" }] }],
  });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
});
afterAll(() => gateway.stop());

const model = "sandbox-chat";
const user = (content: string) => ({ role: "user" as const, content });
const scripted = (script: object, text = "Hi") => [user(`${text} [[sandbox: ${JSON.stringify(script)}]]`)];
const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const upstreamCalls = () => gateway.sandbox.requests.length;

describe("chat", () => {
  test("an answer, its request id and its record", async () => {
    const answer = await client.chat.completions.create({ model, messages: [user("Good morning")] });
    expect(answer.choices[0]?.message.content).toBe("You said: Good morning");
    const { _request_id: requestId } = answer;
    expect(requestId).toStartWith("req_");
    const record = await gateway.record(requestId ?? null);
    expect(record.usage.total_tokens).toBe(answer.usage?.total_tokens ?? -1);
    expect((await gateway.record(answer.id)).id).toBe(requestId ?? "");
  });

  test("withResponse returns the headers", async () => {
    const { response, request_id } = await client.chat.completions
      .create({ model, messages: [user("Hi")] })
      .withResponse();
    expect(response.headers.get("x-service-request-id")).toBe(request_id);
  });

  test("a model with a slash in its name", async () => {
    const answer = await client.chat.completions.create({ model: "family/chat", messages: [user("Hi")] });
    expect(answer.choices[0]?.message.content).toBe("You said: Hi");
  });

  test("images as data URL and as HTTPS URL", async () => {
    const urls = ["data:image/png;base64,iVBORw0KGgo=", "https://example.com/cat.jpg"];
    const images = urls.map((url) => ({ type: "image_url" as const, image_url: { url } }));
    const content = [{ type: "text" as const, text: "Look" }, ...images];
    const answer = await client.chat.completions.create({ model, messages: [{ role: "user", content }] });
    expect(answer.choices[0]?.message.content).toContain(
      "I see 2 images (image/png, 8 bytes; https://example.com/cat.jpg)",
    );
  });

  test("parse: an answer with a schema", async () => {
    const person = z.object({ name: z.string(), age: z.int() });
    const request = { model, messages: [user("Who?")], response_format: zodResponseFormat(person, "person") };
    const answer = await client.chat.completions.parse(request);
    expect(answer.choices[0]?.message.parsed).toEqual({ name: "Ada", age: 1 });
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]?.message.parsed).toEqual({ name: "Ada", age: 1 });
  });

  test("a refusal, and fields unknown to the gateway", async () => {
    const refused = await client.chat.completions.create({ model, messages: scripted({ refusal: "I will not." }) });
    expect(refused.choices[0]?.message.refusal).toBe("I will not.");
    const thinking = await client.chat.completions.create({ model: "sandbox-reasoning", messages: [user("Hi")] });
    expect(thinking.choices[0]?.message).toHaveProperty("reasoning_content");
  });
});

describe("tools", () => {
  test("a tool loop with two parallel calls", async () => {
    const messages = [user("What is the weather in Paris and New York?")];
    const asked = await client.chat.completions.create({ model, messages, tools: [weather] });
    const message = asked.choices[0]?.message;
    if (!message) throw new Error("There is no answer.");
    const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
    expect(calls.map((call) => JSON.parse(call.function.arguments) as object)).toEqual([
      { city: "Paris" },
      { city: "New York" },
    ]);
    const results = calls.map(({ id }, index) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: `${20 + index} degrees`,
    }));
    const answer = await client.chat.completions.create({
      model,
      messages: [...messages, message, ...results],
      tools: [weather],
    });
    expect(answer.choices[0]?.message.content).toContain("20 degrees; get_weather says 21 degrees");
  });

  test.each([false, true])("the SDK's own runner (stream: %p)", async (stream) => {
    const cities: string[] = [];
    const tool = {
      ...weather,
      function: {
        ...weather.function,
        description: "Tells the weather.",
        parse: (text: string) => z.object({ city: z.string() }).parse(JSON.parse(text)),
        function: ({ city }: { city: string }) => {
          cities.push(city);
          return `${city}: 20 degrees`;
        },
      },
    };
    const request = { model, messages: [user("weather in Paris and Rome")], tools: [tool] };
    const runner = stream
      ? client.chat.completions.runTools({ ...request, stream: true })
      : client.chat.completions.runTools(request);
    expect(await runner.finalContent()).toContain("Rome: 20 degrees");
    expect(cities).toEqual(["Paris", "Rome"]);
  });
});

describe("streams", () => {
  test("usage only if requested, like OpenAI", async () => {
    const request = { model, messages: [user("Hi")], stream: true as const };
    const plain = await Array.fromAsync(await client.chat.completions.create(request));
    expect(plain.filter((chunk) => chunk.usage)).toEqual([]);
    expect(plain.every((chunk) => chunk.choices.length === 1)).toBe(true);
    const asked = { ...request, stream_options: { include_usage: true } };
    const counted = await Array.fromAsync(await client.chat.completions.create(asked));
    expect(counted.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 8 } });
  });

  test.each(["sandbox-chat", "sandbox-reasoning"])(
    "%s says in a stream what it says in JSON, tools too",
    async (name) => {
      const request = { model: name, messages: [user("weather in Paris and Rome")], tools: [weather], n: 2 };
      const said = (answer: OpenAI.ChatCompletion) =>
        answer.choices.map(({ message, finish_reason }) => {
          const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
          return [message.content, calls.map((call) => [call.function.name, call.function.arguments]), finish_reason];
        });
      const streamed = await client.chat.completions.stream(request).finalChatCompletion();
      const whole = await client.chat.completions.create(request);
      expect(said(streamed)).toEqual(said(whole));
      expect(whole.choices[1]?.message.tool_calls?.length).toBe(2);
    },
  );

  test("disconnecting during a stream cancels the upstream call and charges the output so far", async () => {
    const messages = scripted({ fault: { kind: "stall", after: 3 } });
    const { data: stream, request_id } = await client.chat.completions
      .create({ model, messages, stream: true })
      .withResponse();
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
    expect(await gateway.eventualRecord(request_id ?? "")).toMatchObject({
      status: "cancelled",
      billing: { status: "charged" },
    });
  });

  test("an error during a stream is thrown", async () => {
    const messages = scripted({ fault: { kind: "error_event", after: 2, message: "The provider is tired." } });
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    const error = await Array.fromAsync(stream).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ type: "upstream_error", code: "upstream_error" });
  });
});

test.each([true, false])("an AbortController cancels before the first byte (stream: %p)", async (stream) => {
  const before = upstreamCalls();
  const controller = new AbortController();
  const messages = scripted({ fault: { kind: "stall", at: "headers" } });
  const asking = client.chat.completions
    .create({ model, messages, stream }, { signal: controller.signal })
    .catch((thrown: unknown) => thrown);
  await gateway.sandbox.waitFor((requests) => requests.length > before);
  controller.abort();
  expect(await asking).toBeInstanceOf(APIUserAbortError);
  await gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
  expect(upstreamCalls()).toBe(before + 1);
});

describe("errors become the SDK's classes, with the request id", () => {
  const failing = async (
    of: OpenAI,
    options: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>,
  ): Promise<APIError> => {
    const request = { model, messages: [user("Hi")], ...options };
    const thrown = await of.chat.completions.create(request).then(
      () => null,
      (error: unknown) => error,
    );
    if (!(thrown instanceof APIError)) throw new Error(`No APIError: ${String(thrown)}`);
    expect(thrown.requestID).toStartWith("req_");
    return thrown;
  };
  const status = (code: number) => ({ messages: scripted({ fault: { kind: "status", status: code } }) });

  test.each([
    ["400", { max_tokens: 0 }, BadRequestError, "invalid_parameter", "max_tokens", 0],
    ["404", { model: "nobody" }, NotFoundError, "model_not_found", "model", 0],
    ["422", status(422), UnprocessableEntityError, null, null, 1],
    // The gateway does not repeat what fails once at a plain model, so the SDK does: twice.
    ["502", status(500), InternalServerError, "upstream_error", null, 3],
    ["504", status(504), InternalServerError, "first_byte_timeout", null, 3],
  ])("%s", async (_name, options, type, code, param, calls) => {
    const before = upstreamCalls();
    const error = await failing(client, options);
    expect(error).toBeInstanceOf(type);
    expect({ code: error.code, param: error.param }).toEqual({ code, param });
    expect(upstreamCalls() - before).toBe(calls);
  });

  test("401, 403 and 429", async () => {
    const stranger = client.withOptions({ apiKey: "sk-other" });
    expect(await failing(stranger, {})).toBeInstanceOf(AuthenticationError);
    const narrow = await gateway.newKey({ scopes: { models: ["other"] } });
    expect(await failing(client.withOptions({ apiKey: narrow.key }), {})).toBeInstanceOf(PermissionDeniedError);
    const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const hasty = client.withOptions({ apiKey: limited.key, maxRetries: 0 });
    await hasty.chat.completions.create({ model, messages: [user("Hi")] });
    expect(await failing(hasty, {})).toBeInstanceOf(RateLimitError);
  });

  test("429: retried after the wait of the provider, then successful", async () => {
    const before = upstreamCalls();
    const fault = { kind: "status", status: 429, headers: { "retry-after": "0" }, times: 1, key: crypto.randomUUID() };
    const answer = await client.chat.completions.create({ model, messages: scripted({ fault, text: "At last." }) });
    expect(answer.choices[0]?.message.content).toBe("At last.");
    expect(upstreamCalls() - before).toBe(2);
  });
});

describe("models", () => {
  test("the list, and a model with a slash in its name", async () => {
    const ids = (await Array.fromAsync(client.models.list())).map((entry) => entry.id);
    expect(ids).toContain("family/chat");
    expect(await client.models.retrieve("family/chat")).toMatchObject({ id: "family/chat", object: "model" });
  });

  test("an unknown model", async () => {
    const error = await client.models.retrieve("nobody").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: "model_not_found", requestID: expect.stringMatching(/^req_/) });
  });
});
