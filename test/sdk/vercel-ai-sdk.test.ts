import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The Vercel AI SDK with its provider for OpenAI-compatible servers. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const chat = (id = "sandbox-chat", apiKey = gateway.key) =>
  createOpenAICompatible({
    name: "tollgate",
    baseURL: `${gateway.url}/v1`,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
    // Otherwise the SDK would fetch images.
    supportedUrls: () => ({ "image/*": [/^https:/] }),
  }).chatModel(id);
const scripted = (script: object) => `Hi [[sandbox: ${JSON.stringify(script)}]]`;

describe("text", () => {
  test("JSON, with usage", async () => {
    const { text, usage, finishReason, response } = await generateText({ model: chat(), prompt: "Good morning" });
    expect({ text, finishReason }).toEqual({ text: "You said: Good morning", finishReason: "stop" });
    const record = await gateway.record(response.headers?.["x-service-request-id"] ?? null);
    expect(record.usage.prompt_tokens).toBe(usage.inputTokens ?? -1);
    expect(record.usage.completion_tokens).toBe(usage.outputTokens ?? -1);
  });

  test("streamed, with usage", async () => {
    const result = streamText({ model: chat(), prompt: "Good morning" });
    const pieces = await Array.fromAsync(result.textStream);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe("You said: Good morning");
    expect((await result.usage).totalTokens).toBe(13);
  });

  test("reasoning", async () => {
    const { reasoningText } = await generateText({ model: chat("sandbox-reasoning"), prompt: "Hi" });
    expect(reasoningText).toBeTruthy();
    const streamed = streamText({ model: chat("sandbox-reasoning"), prompt: "Hi" });
    await streamed.consumeStream();
    expect(await streamed.reasoningText).toBe(reasoningText ?? "");
  });

  test("images as data and as URL", async () => {
    const content = [
      { type: "text" as const, text: "Look" },
      { type: "image" as const, image: Buffer.from("iVBORw0KGgo=", "base64"), mediaType: "image/png" },
      { type: "image" as const, image: new URL("https://example.com/cat.jpg") },
    ];
    const { text } = await generateText({ model: chat(), messages: [{ role: "user", content }] });
    expect(text).toContain("I see 2 images (image/png, 8 bytes; https://example.com/cat.jpg)");
  });
});

test("an object with a schema", async () => {
  const output = Output.object({ schema: z.object({ name: z.string(), age: z.int() }) });
  const whole = await generateText({ model: chat(), prompt: "Who?", output });
  expect(whole.output).toEqual({ name: "Ada", age: 1 });
  const streamed = streamText({ model: chat(), prompt: "Who?", output });
  await streamed.consumeStream();
  expect(await streamed.output).toEqual({ name: "Ada", age: 1 });
});

describe("a tool loop with two parallel calls", () => {
  const loop = (cities: string[]) => ({
    model: chat(),
    prompt: "What is the weather in Paris and Rome?",
    stopWhen: isStepCount(4),
    tools: {
      get_weather: tool({
        description: "Tells the weather.",
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => {
          cities.push(city);
          return `${city}: 20 degrees`;
        },
      }),
    },
  });

  test("JSON", async () => {
    const cities: string[] = [];
    const { text, steps } = await generateText(loop(cities));
    expect(cities).toEqual(["Paris", "Rome"]);
    expect(steps.length).toBe(2);
    expect(text).toContain("Rome: 20 degrees");
  });

  test("streamed", async () => {
    const cities: string[] = [];
    const result = streamText(loop(cities));
    await result.consumeStream();
    expect(cities).toEqual(["Paris", "Rome"]);
    expect(await result.text).toContain("Rome: 20 degrees");
  });
});

describe("disconnecting", () => {
  test("before an answer", async () => {
    const before = gateway.sandbox.requests.length;
    const controller = new AbortController();
    const prompt = scripted({ fault: { kind: "stall", at: "headers" } });
    const asking = generateText({ model: chat(), prompt, abortSignal: controller.signal }).catch(
      (error: Error) => error.name,
    );
    await gateway.sandbox.waitFor((requests) => requests.length > before);
    controller.abort();
    expect(await asking).toBe("AbortError");
    await gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
  });

  test("during a stream", async () => {
    const controller = new AbortController();
    const prompt = scripted({ fault: { kind: "stall", after: 3 } });
    const { textStream } = streamText({ model: chat(), prompt, abortSignal: controller.signal });
    for await (const piece of textStream) if (piece) controller.abort();
    await gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
  });
});

describe("errors", () => {
  const failing = async (model: ReturnType<typeof chat>, prompt: string): Promise<APICallError> => {
    const thrown = await generateText({ model, prompt }).then(
      () => null,
      (error: unknown) => error,
    );
    if (!APICallError.isInstance(thrown)) throw new Error(`No APICallError: ${String(thrown)}`);
    return thrown;
  };

  test("have the status, message and body of the gateway", async () => {
    const error = await failing(chat("nobody"), "Hi");
    const message = expect.stringContaining(
      "The model 'nobody' does not exist. GET /v1/models lists the models that this API key may use.",
    );
    expect(error).toMatchObject({ statusCode: 404, isRetryable: false, message });
    expect(error.data).toMatchObject({ error: { type: "not_found_error", code: "model_not_found", param: "model" } });
    expect(await failing(chat("sandbox-chat", "sk-other"), "Hi")).toMatchObject({
      statusCode: 401,
      isRetryable: false,
    });
  });

  test("a provider's 4xx is not retried", async () => {
    const before = gateway.sandbox.requests.length;
    const prompt = scripted({ fault: { kind: "status", status: 422 } });
    expect(await failing(chat(), prompt)).toMatchObject({ statusCode: 422 });
    expect(gateway.sandbox.requests.length).toBe(before + 1);
  });

  test("an error during a stream ends it with an error", async () => {
    const prompt = scripted({ fault: { kind: "error_event", after: 3 } });
    const errors: unknown[] = [];
    const result = streamText({
      model: chat(),
      prompt,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    expect(errors.length).toBe(1);
    expect(await result.finishReason).toBe("error");
  });
});
