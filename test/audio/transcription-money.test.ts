import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defaultRetry } from "../../src/config/defaults.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook, type Payer } from "../money/payer.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import {
  spoken,
  spokenScript,
  startTranscriptionGateway,
  transcribe,
  type TranscribeOptions,
  transcriberAt,
  transcriptionModel,
} from "./transcription.testkit.ts";

/** What a transcript costs: by the second, the token, or both. */

const tokenPrices = { input: 2_500_000, input_audio: 6_000_000, output: 10_000_000 };

let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  gateway = await startTranscriptionGateway(
    [
      transcriptionModel("by-token", ["openai"], { prices: tokenPrices }),
      transcriptionModel("by-token-plain", ["openai"], { prices: { input: 1_000_000, output: 10_000_000 } }),
      transcriptionModel("by-token-gemini", ["gemini"], { prices: { input: 1_000_000, output: 10_000_000 } }),
      transcriptionModel("by-both", ["openai"], { prices: { second: 1_000, ...tokenPrices } }),
      transcriptionModel("unpriced", ["openai"], { prices: {} }),
      transcriptionModel("cheap", ["elevenlabs"], { prices: { second: 10 } }),
    ],
    {
      routes: [
        {
          kind: "policy",
          id: "cheapest",
          strategy: "lowest_cost",
          members: [transcriberAt("openai"), "by-token", "cheap"].map((model) => ({ model, weight: 1 })),
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

async function recordOf(fields: Readonly<Record<string, string>>, options: TranscribeOptions = {}) {
  const response = await transcribe(gateway, fields, options);
  expect(response.status).toBe(200);
  await response.text();
  return gateway.record(idOf(response));
}

/** Of the sound that says nothing else: words of 0.25, 0.25, 0.15 and 0.3 seconds, and four pauses of 0.05. */
const seconds = 1.15;

describe("a model that is priced by the second", () => {
  test("is charged for what the provider reports", async () => {
    const sound = spokenScript({ usage: { type: "duration", seconds: 3 } });
    expect(await recordOf({}, { sound })).toMatchObject({
      usage: {
        dimensions: [{ name: "second", quantity: 3, unit: "second" }],
        measurement: { input: "provider", output: "provider" },
      },
      billing: { status: "charged", amount_microusd: 3_000 },
      provider_usage: { raw_fields: { type: "duration", seconds: 3 } },
    });
  });

  test.each([
    ["a.wav", "wav", seconds],
    // 47 frames of 24 milliseconds.
    ["a.mp3", "mp3", 1.128],
  ] as const)("else for what the file lasts: %s", async (filename, format, quantity) => {
    const sound = spoken("Hello brave new world.", format);
    expect(await recordOf({ response_format: "text" }, { sound, filename })).toMatchObject({
      usage: {
        dimensions: [{ name: "second", quantity }],
        measurement: { input: "local_estimate", output: "local_estimate" },
      },
      billing: { amount_microusd: Math.round(quantity * 1_000) },
    });
  });

  test("of a file that does not tell how long it lasts, for what it is expected to", async () => {
    const sound = new Uint8Array(32_000).fill(7);
    expect(await recordOf({ response_format: "text" }, { sound })).toMatchObject({
      usage: { dimensions: [{ name: "second", quantity: 2 }] },
    });
  });
});

describe("a model that is priced by tokens", () => {
  const tokens = { input: 14, output: 31 };

  test("is charged by kind, whole and as events", async () => {
    for (const stream of ["false", "true"]) {
      const sound = spokenScript({ tokens });
      expect(await recordOf({ model: "by-token", stream }, { sound })).toMatchObject({
        usage: {
          prompt_tokens: 14,
          completion_tokens: 31,
          dimensions: [
            { name: "input", quantity: 0 },
            { name: "input_audio", quantity: 14 },
            { name: "output", quantity: 31 },
          ],
          measurement: { input: "provider", output: "provider" },
        },
        billing: { status: "charged", amount_microusd: 84 + 310 },
      });
    }
  });

  test("without a price for sound apart, as any input", async () => {
    const record = await recordOf({ model: "by-token-plain" }, { sound: spokenScript({ tokens }) });
    expect(record).toMatchObject({ billing: { amount_microusd: 14 + 310 } });
  });

  test("and by seconds, is charged for both", async () => {
    const usage = { type: "tokens", input_tokens: 10, output_tokens: 2, total_tokens: 12 };
    const record = await recordOf({ model: "by-both" }, { sound: spokenScript({ usage }) });
    expect(record.usage.dimensions.map(({ name }) => name)).toEqual(["input", "output", "second"]);
    expect(record.billing.amount_microusd).toBe(
      25 + 20 + Math.round((record.usage.dimensions[2]?.quantity ?? 0) * 1_000),
    );
  });

  test("is charged for an estimate if the provider reports none", async () => {
    expect(await recordOf({ model: "by-token", response_format: "text", prompt: "Hello" })).toMatchObject({
      usage: {
        dimensions: [
          { name: "input", quantity: 1 },
          // 1.15 seconds of 32 tokens.
          { name: "input_audio", quantity: 37 },
          { name: "output", quantity: 5 },
        ],
        measurement: { input: "local_estimate", output: "local_estimate" },
      },
    });
  });

  test("is charged for what Gemini reports", async () => {
    const record = await recordOf({ model: "by-token-gemini" }, { sound: spokenScript({ tokens }) });
    expect(record).toMatchObject({ billing: { amount_microusd: 14 + 310 }, provider_usage: { family: "gemini" } });
  });
});

test("a model without a price is marked", async () => {
  expect(await recordOf({ model: "unpriced", response_format: "text" })).toMatchObject({
    billing: { status: "unpriced", amount_microusd: 0, line_items: [{ dimension: "second", quantity: seconds }] },
  });
});

describe("a prepaid account", () => {
  const pay = async (payer: Payer, fields: Readonly<Record<string, string>>, options: TranscribeOptions = {}) => {
    const response = await transcribe(gateway, fields, {
      ...options,
      headers: { authorization: `Bearer ${payer.key}` },
    });
    await response.text();
    return { status: response.status, record: await gateway.record(idOf(response), payer.key) };
  };
  /** 55 kB at a usual bitrate are 3.45 seconds, which is more than the file says; one more; in whole seconds. */
  const held = 5_000;

  test("holds the seconds of the file, and pays what it was", async () => {
    const payer = await createPayer(gateway, storage, held);
    const { status, record } = await pay(payer, {});
    expect([status, record.billing.held_microusd, record.billing.amount_microusd]).toEqual([200, held, 2_000]);
    expect(await payer.account()).toMatchObject({ balance_microusd: held - 2_000, held_microusd: 0 });
    await expectSoundBook(storage);
  });

  test.each([transcriberAt("openai"), "by-token", "by-both"])(
    "that cannot pay for it is refused: %s",
    async (model) => {
      const payer = await createPayer(gateway, storage, 10);
      const calls = gateway.sandbox.requests.length;
      const { status } = await pay(payer, { model });
      expect([status, gateway.sandbox.requests.length]).toEqual([402, calls]);
    },
  );

  test("pays no more than was held for it, whatever the provider reports, and the record says so", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const sound = spokenScript({ usage: { type: "duration", seconds: 900 } });
    const { billing } = (await pay(payer, {}, { sound })).record;
    expect(billing.suspect).toBe(true);
    expect(billing.amount_microusd).toBeLessThanOrEqual(billing.held_microusd);
    const { record } = await pay(
      payer,
      { model: "by-token" },
      {
        sound: spokenScript({ tokens: { input: 900_000, output: 900_000 } }),
      },
    );
    expect(record.billing.suspect).toBe(true);
    expect(record.billing.amount_microusd).toBeLessThanOrEqual(record.billing.held_microusd);
    await expectSoundBook(storage);
  });

  test("pays for more than a file says of itself, if its bytes can hold that", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const sound = spokenScript({ usage: { type: "duration", seconds: 900 } });
    const short = Buffer.concat([sound, Buffer.alloc(160_000)]);
    // The samples that the header tells of: a hundredth of a second.
    short.writeUInt32LE(480, short.indexOf("data", 0, "latin1") + 4);
    const { billing } = (await pay(payer, {}, { sound: short })).record;
    expect(billing.amount_microusd).toBeGreaterThan(10_000);
    await expectSoundBook(storage);
  });

  test("holds a second for each 500 bytes of a file that does not tell", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const { billing } = (await pay(payer, {}, { sound: new Uint8Array(32_000).fill(7) })).record;
    expect(billing.held_microusd).toBe(65_000);
  });

  test("pays nothing for a failure", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const { status, record } = await pay(
      payer,
      {},
      { sound: spokenScript({ fault: { kind: "status", status: 500 } }) },
    );
    expect([status, record.billing.amount_microusd]).toEqual([502, 0]);
    expect(await payer.account()).toMatchObject({ balance_microusd: 1_000_000, held_microusd: 0 });
    await expectSoundBook(storage);
  });
});

describe("before it is sent", () => {
  const explain = async (model: string) =>
    (await transcribe(gateway, { model }, { path: "/api/routes/explain?endpoint=audio_transcriptions" })).json();

  test.each([
    [transcriberAt("openai"), 2_000],
    ["cheap", 20],
  ])("%s is explained with what it is expected to cost", async (model, amount) => {
    const calls = gateway.sandbox.requests.length;
    expect(await explain(model)).toMatchObject({ chosen: { model }, estimated_amount_microusd: amount });
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test("the cheapest of models that are priced in different ways is found", async () => {
    expect(await explain("cheapest")).toMatchObject({ chosen: { model: "cheap" } });
  });
});

test("a key is limited to its endpoints, and its requests are counted", async () => {
  const scoped = await gateway.newKey({ scopes: { endpoints: ["audio_translations"] } });
  const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
  const ask = ({ key }: { readonly key: string }, path = "/v1/audio/transcriptions") =>
    transcribe(gateway, {}, { path, headers: { authorization: `Bearer ${key}` } });
  expect((await ask(scoped)).status).toBe(403);
  expect((await ask(scoped, "/v1/audio/translations")).status).toBe(200);
  expect((await ask(limited)).status).toBe(200);
  expect((await ask(limited)).status).toBe(429);
});
