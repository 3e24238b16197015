import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defaultRetry } from "../../src/config/defaults.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook } from "../money/payer.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { modelAt, perCharacters, scripted, speak, speechModel, startSpeechGateway } from "./speech.testkit.ts";

/** What speech costs: by the character, the second or the token, as its model is priced. */

const text = "Hello world";

let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  gateway = await startSpeechGateway(
    [
      speechModel("by-second", ["openai"], { prices: { second: 1_000 } }),
      speechModel("by-second-elevenlabs", ["elevenlabs"], { prices: { second: 1_000 } }),
      speechModel("by-token", ["openai"], { prices: { input: 600_000, output_audio: 12_000_000 } }),
      speechModel("by-token-gemini", ["gemini"], { prices: { input: 500_000, output: 10_000_000 } }),
      speechModel("unpriced", ["openai"], { prices: {} }),
      speechModel("cheap", ["openai"], { prices: { character: 1_000_000 } }),
    ],
    {
      routes: [
        {
          kind: "policy",
          id: "cheapest",
          strategy: "lowest_cost",
          members: [modelAt("openai"), "by-token", "cheap"].map((model) => ({ model, weight: 1 })),
          requires: [],
          retry: defaultRetry,
          fallbackOn: [],
          hedgeAfterMs: null,
        },
      ],
    },
  );
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

async function recordOf(body: object) {
  const response = await speak(gateway, { input: text, ...body });
  expect(response.status).toBe(200);
  await response.bytes();
  return gateway.record(idOf(response));
}

describe("a model that is priced by the character", () => {
  test.each([
    ["héllo", 5],
    ["😀😀", 2],
    ["e\u0301", 2],
    [" a ", 3],
  ])("%j is counted in code points: %i", async (input, quantity) => {
    expect(await recordOf({ input })).toMatchObject({
      usage: { dimensions: [{ name: "character", quantity, unit: "character" }], measurement: null },
      billing: {
        status: "charged",
        line_items: [
          { dimension: "character", quantity, unit_microusd: perCharacters, amount_microusd: quantity * 15 },
        ],
      },
    });
  });
});

describe("a model that is priced by the second", () => {
  test.each(["wav", "pcm"])("is charged for what has passed, measured from the bytes of %s", async (format) => {
    for (const model of ["by-second", "by-second-elevenlabs"]) {
      expect(await recordOf({ model, response_format: format })).toMatchObject({
        usage: {
          dimensions: [{ name: "second", quantity: 0.6, unit: "second" }],
          measurement: { input: "local_estimate", output: "local_estimate" },
        },
        billing: { status: "charged", amount_microusd: 600 },
      });
    }
  });

  test("and from the bytes within events", async () => {
    expect(await recordOf({ model: "by-second", response_format: "pcm", stream_format: "sse" })).toMatchObject({
      billing: { amount_microusd: 600 },
    });
  });
});

describe("a model that is priced by tokens", () => {
  test("is charged for those of the last event", async () => {
    const input = scripted({ tokens: { input: 14, output: 101 } });
    expect(await recordOf({ model: "by-token", stream_format: "sse", input })).toMatchObject({
      usage: {
        prompt_tokens: 14,
        completion_tokens: 101,
        dimensions: [
          { name: "input", quantity: 14 },
          { name: "output_audio", quantity: 101 },
        ],
        measurement: { input: "provider", output: "provider" },
      },
      billing: { status: "charged", amount_microusd: 8 + 1_212 },
      provider_usage: { raw_fields: { input_tokens: 14, output_tokens: 101, total_tokens: 115 } },
    });
  });

  test("is charged for an estimate if the answer is bytes, which report none", async () => {
    expect(await recordOf({ model: "by-token", response_format: "wav" })).toMatchObject({
      usage: {
        dimensions: [
          { name: "input", quantity: 2 },
          // 0.6 seconds.
          { name: "output_audio", quantity: 15 },
        ],
        measurement: { input: "local_estimate", output: "local_estimate" },
      },
      billing: { status: "charged" },
    });
  });

  test("is charged for what Gemini reports", async () => {
    const input = scripted({ tokens: { input: 9, output: 40 } });
    expect(await recordOf({ model: "by-token-gemini", voice: "Kore", input })).toMatchObject({
      usage: {
        dimensions: [
          { name: "input", quantity: 9 },
          { name: "output", quantity: 40 },
        ],
        measurement: { input: "provider", output: "provider" },
      },
    });
  });
});

test("a model without a price is marked", async () => {
  expect(await recordOf({ model: "unpriced" })).toMatchObject({
    billing: { status: "unpriced", amount_microusd: 0, line_items: [{ dimension: "character", quantity: 11 }] },
  });
});

describe("a prepaid account", () => {
  test("holds exactly what the characters cost", async () => {
    const payer = await createPayer(gateway, storage, 165);
    const asked = await payer.post("/v1/audio/speech", { model: modelAt("openai"), voice: "alloy", input: text });
    expect([asked.status, asked.record.billing.amount_microusd]).toEqual([200, 165]);
    expect(await payer.account()).toMatchObject({ balance_microusd: 0, held_microusd: 0 });
    await expectSoundBook(storage);
  });

  test("spends all that it has on requests that it covers exactly", async () => {
    const payer = await createPayer(gateway, storage, 1_650);
    const speakOnce = () => payer.post("/v1/audio/speech", { model: modelAt("openai"), voice: "alloy", input: text });
    const statuses: number[] = [];
    for (let index = 0; index < 10; index++) statuses.push((await speakOnce()).status);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await payer.account()).toMatchObject({ balance_microusd: 0, held_microusd: 0 });
    await expectSoundBook(storage);
  });

  test.each([modelAt("openai"), "by-second", "by-token"])("that cannot pay for it is refused: %s", async (model) => {
    const payer = await createPayer(gateway, storage, 5);
    const calls = gateway.sandbox.requests.length;
    const asked = await payer.post("/v1/audio/speech", { model, voice: "alloy", input: text });
    expect([asked.status, gateway.sandbox.requests.length]).toEqual([402, calls]);
  });

  test.each([
    // 21 seconds at most, of 32 tokens each.
    ["by-second", 21_000],
    ["by-token", Math.round(((11 + 64) * 600_000 + 21 * 32 * 12_000_000) / 1_000_000) + 6],
  ])("holds what %s can cost at most, and pays what it was", async (model, held) => {
    const payer = await createPayer(gateway, storage, held);
    const body = { model, voice: "alloy", input: text, response_format: "wav" };
    const asked = await payer.post("/v1/audio/speech", body);
    const { billing } = asked.record;
    expect([asked.status, billing.held_microusd, billing.status]).toEqual([200, held, "charged"]);
    const { balance_microusd: left } = await payer.account();
    expect(left).toBe(held - billing.amount_microusd);
    await expectSoundBook(storage);
  });

  test("pays no more than was held for it, whatever the provider reports", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const input = scripted({ tokens: { input: 5, output: 1_000_000 } });
    const body = { model: "by-token", voice: "alloy", input, stream_format: "sse" };
    const { record } = await payer.post("/v1/audio/speech", body);
    expect(record.billing.suspect).toBe(true);
    expect(record.billing.amount_microusd).toBeLessThanOrEqual(record.billing.held_microusd);
  });
});

describe("before it is sent", () => {
  const explain = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ voice: "alloy", input: text, ...body }) };
    return (await gateway.fetch("/api/routes/explain?endpoint=audio_speech", init)).json();
  };

  test.each([
    [modelAt("openai"), 165],
    // 11 characters at 15 a second.
    ["by-second", 1_000],
    ["by-token", 2 + 228],
  ])("%s is explained with what it is expected to cost", async (model, amount) => {
    expect(await explain({ model })).toMatchObject({ chosen: { model }, estimated_amount_microusd: amount });
  });

  test("the cheapest of models that are priced in different ways is found", async () => {
    expect(await explain({ model: "cheapest" })).toMatchObject({ chosen: { model: "cheap" } });
  });
});

test("a key is limited to its endpoints, and its requests are counted", async () => {
  const scoped = await gateway.newKey({ scopes: { endpoints: ["chat"] } });
  const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
  const by = ({ key }: { readonly key: string }) => ({ headers: { authorization: `Bearer ${key}` } });
  expect((await speak(gateway, {}, by(scoped))).status).toBe(403);
  expect((await speak(gateway, {}, by(limited))).status).toBe(200);
  expect((await speak(gateway, {}, by(limited))).status).toBe(429);
});
