import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** `POST /v1/completions`, which old clients and base models need, at providers of OpenAI's chat dialect. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  const root = (url: string) => url.replace(/\/v1$/, "");
  gateway = await startTestGateway({
    providers: (url) => [{ id: "anthropic", dialects: ["anthropic-messages"], baseUrl: root(url) }],
    models: [
      { id: "base", ...served("sandbox") },
      { id: "elsewhere", ...served("anthropic") },
      { id: "chat-only", targets: [{ provider: "sandbox", model: "sandbox-chat" }] },
      { id: "unreported", ...served("sandbox", "sandbox-usage-none") },
      { id: "cool", ...served("sandbox"), temperature: { min: 0, max: 1 }, parameters: { logprobs: false } },
    ],
  });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

function served(provider: string, model = "sandbox-chat") {
  return {
    targets: [{ provider, model }],
    endpoints: ["completions"],
    prices: { input: 1_000_000, output: 2_000_000 },
  };
}

const post = (body: object, headers: Record<string, string> = {}) =>
  gateway.fetch("/v1/completions", { method: "POST", body: JSON.stringify(body), headers });
const sentBody = () => new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);

test("a text is completed, measured, charged and recorded", async () => {
  const { data, response } = await client.completions
    .create({ model: "base", prompt: "Once upon a time", max_tokens: 50, user: "ada" })
    .withResponse();
  expect(data).toMatchObject({ object: "text_completion", choices: [{ index: 0, finish_reason: "stop" }] });
  expect(data.choices[0]?.text).toContain("Once upon a time");
  const { prompt_tokens: input = 0, completion_tokens: output = 0 } = data.usage ?? {};
  expect(Math.min(input, output)).toBeGreaterThan(0);
  expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({
    endpoint: "/v1/completions",
    model: "base",
    status: "succeeded",
    usage: { prompt_tokens: input, completion_tokens: output, measurement: { input: "provider", output: "provider" } },
    billing: { status: "charged", amount_microusd: input + 2 * output },
    attribution: { tags: {}, end_user: "ada", session: null },
  });
  expect((await gateway.record(data.id)).id).toBe(String(response.headers.get("x-service-request-id")));
});

test("the body goes up unchanged except for the model", async () => {
  const body = `{"prompt": ["a",  "b"],"model":"base", "suffix":"!", "seed":12345678901234567890, "echo":true}`;
  await (await gateway.fetch("/v1/completions", { method: "POST", body })).json();
  expect(gateway.sandbox.requests.at(-1)?.path).toBe("/v1/completions");
  expect(sentBody()).toBe(body.replace('"base"', '"sandbox-chat"'));
});

describe("a stream", () => {
  test("passes to the SDK, and the usage that it did not ask for is measured and not shown", async () => {
    const { data: stream, response } = await client.completions
      .create({ model: "base", prompt: "Tell me of the sea", stream: true })
      .withResponse();
    let text = "";
    for await (const chunk of stream) {
      expect(chunk.object).toBe("text_completion");
      expect(chunk.usage ?? null).toBeNull();
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).toContain("the sea");
    expect(JSON.parse(sentBody())).toMatchObject({ stream_options: { include_usage: true } });
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "succeeded", stream: true, usage: { measurement: { output: "provider" } } });
    expect(record.usage.completion_tokens).toBeGreaterThan(0);
  });

  test("shows the usage that was asked for, and ends with [DONE]", async () => {
    const options = { stream: true, stream_options: { include_usage: true } };
    const text = await (await post({ model: "base", prompt: "Hi", ...options })).text();
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(text).toContain('"usage":{');
  });

  test("whose usage is not reported is estimated by its text", async () => {
    const prompt = "The quick brown fox jumps over the lazy dog, again and again and again.";
    const response = await post({ model: "unreported", prompt, stream: true });
    await response.text();
    const { usage } = await gateway.record(response.headers.get("x-service-request-id"));
    expect(usage.measurement).toEqual({ input: "local_estimate", output: "local_estimate" });
    expect(usage.prompt_tokens).toBeGreaterThan(10);
    expect(usage.completion_tokens).toBeGreaterThan(10);
  });

  test("is made of a whole answer, and the reverse, if the provider ignores what was asked", async () => {
    const ignored = await post({ model: "base", prompt: "Hi there", stream: true, sandbox: { ignore_stream: true } });
    const events = (await ignored.text()).split("\n\n").filter((line) => line.startsWith("data: {"));
    const chunks = events.map((line) => JSON.parse(line.slice(6)) as OpenAI.Completion);
    expect(chunks.map(({ choices }) => choices[0]?.text ?? "").join("")).toContain("Hi there");
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");

    const forced = await post({ model: "base", prompt: "Hi there", sandbox: { force_stream: true } });
    expect(await forced.json()).toMatchObject({
      object: "text_completion",
      choices: [{ index: 0, text: expect.stringContaining("Hi there"), finish_reason: "stop" }],
    });
  });

  test("that breaks off says so, and is free", async () => {
    const sandbox = { fault: { kind: "cut", after: 2 } };
    const response = await post({ model: "base", prompt: "Hi", stream: true, sandbox });
    expect(await response.text()).toContain('"upstream_invalid_response"');
    const record = await gateway.eventualRecord(response.headers.get("x-service-request-id") ?? "");
    expect(record).toMatchObject({ status: "failed", billing: { amount_microusd: 0 } });
  });
});

test("tokens instead of a text are counted as they are", async () => {
  const { key } = await gateway.newKey({ limits: { tokensPerMinute: 100 } });
  const headers = { authorization: `Bearer ${key}` };
  const prompt = Array.from({ length: 60 }, () => 1);
  expect((await post({ model: "base", prompt }, headers)).status).toBe(200);
  expect((await post({ model: "base", prompt: [prompt, prompt] }, headers)).status).toBe(400);
});

test("what `n` and `best_of` multiply is booked", async () => {
  const { key } = await gateway.newKey({ limits: { tokensPerMinute: 1_000 } });
  const headers = { authorization: `Bearer ${key}` };
  const response = await post({ model: "base", prompt: ["a", "b"], max_tokens: 100, n: 2, best_of: 6 }, headers);
  expect(response.status).toBe(400);
});

describe("refused", () => {
  test.each<[what: string, body: object, param: string]>([
    ["no prompt", { prompt: undefined }, "prompt"],
    ["a prompt of no kind", { prompt: { a: 1 } }, "prompt"],
    ["an empty list", { prompt: [] }, "prompt"],
    ["a text among tokens", { prompt: [[1], true] }, "prompt[1]"],
    ["half a token", { prompt: [[1.5]] }, "prompt[0]"],
    ["a negative bound", { max_tokens: -1 }, "max_tokens"],
    ["llama.cpp's name for no bound", { n_predict: -1 }, "n_predict"],
    ["no answers", { n: 0 }, "n"],
    ["too many answers", { best_of: 1e9 }, "best_of"],
    ["stream options of no kind", { stream_options: [] }, "stream_options"],
    ["another case", { MODEL: "base" }, "MODEL"],
    ["no model", { model: undefined }, "model"],
    ["a temperature beyond the model's", { model: "cool", temperature: 1.5 }, "temperature"],
    ["what the model denies", { model: "cool", logprobs: 2 }, "logprobs"],
  ])("%s: 400", async (_what, body, param) => {
    const calls = gateway.sandbox.requests.length;
    const response = await post({ model: "base", prompt: "Hi", ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test.each([
    ["a model that does not declare the endpoint", "chat-only", "does not serve 'completions'"],
    ["a model whose providers speak no such dialect", "elsewhere", "openai-chat"],
  ])("%s: 400", async (_what, model, text) => {
    const response = await post({ model, prompt: "Hi" });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("unsupported_endpoint");
    expect(error.message).toContain(text);
  });

  test("a key without the scope: 403", async () => {
    const { key } = await gateway.newKey({ scopes: { endpoints: ["chat"] } });
    const response = await post({ model: "base", prompt: "Hi" }, { authorization: `Bearer ${key}` });
    expect(response.status).toBe(403);
  });
});
