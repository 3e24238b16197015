import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("a request gets an answer and leaves one exact record", async () => {
  const tokens = { input: 2006, cache_read: 1920, output: 300 };
  const response = await gateway.chat({ sandbox: { text: "Hello!", tokens } });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { id: string; model: string };
  expect(answer.model).toBe("sandbox-chat");

  const id = response.headers.get("x-service-request-id");
  const record = await gateway.record(id);
  expect(record).toMatchObject({
    object: "usage.request",
    id,
    status: "succeeded",
    stream: false,
    error: null,
    model: "sandbox-chat",
    endpoint: "/v1/chat/completions",
    usage: {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      measurement: { input: "provider", output: "provider" },
      dimensions: [
        { name: "input", quantity: 86, unit: "token" },
        { name: "cache_read", quantity: 1920, unit: "token" },
        { name: "output", quantity: 300, unit: "token" },
      ],
    },
    billing: {
      currency: "USD",
      // 86 x 0.25, 1,920 x 0.025 and 300 x 2.00 USD for a million, each rounded half up to millionths.
      amount_microusd: 22 + 48 + 600,
      pricing_version: 1,
      status: "charged",
      line_items: [
        { dimension: "input", quantity: 86, unit_microusd: 250_000, amount_microusd: 22 },
        { dimension: "cache_read", quantity: 1920, unit_microusd: 25_000, amount_microusd: 48 },
        { dimension: "output", quantity: 300, unit_microusd: 2_000_000, amount_microusd: 600 },
      ],
    },
    routing: {
      strategy_name: "direct",
      requested_model: "sandbox-chat",
      resolved_model: "sandbox-chat",
      chose_provider: "sandbox",
      status_code: 200,
      attempts: 1,
    },
    provider_usage: { family: "openai-chat", raw_fields: { prompt_tokens: 2006 } },
  });
  expect(await gateway.record(answer.id)).toEqual(record);
});

test("a stream is recorded before its last byte", async () => {
  const response = await gateway.chat({ stream: true, sandbox: { text: "Hello!", tokens: { input: 100, output: 7 } } });
  const text = await response.text();
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  const record = await gateway.record(response.headers.get("x-service-request-id"));
  expect(record).toMatchObject({
    status: "succeeded",
    stream: true,
    usage: { prompt_tokens: 100, completion_tokens: 7 },
    billing: { amount_microusd: 25 + 14 },
  });
});

test("hide_provider hides the provider", async () => {
  const hiding = await startTestGateway({ server: { hideProvider: true } });
  try {
    const response = await hiding.chat();
    await response.json();
    const record = await hiding.record(response.headers.get("x-service-request-id"));
    expect(record.routing).toMatchObject({ chose_provider: null, resolved_model: "sandbox-chat" });
  } finally {
    await hiding.stop();
  }
});
