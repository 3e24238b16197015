import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook } from "../money/payer.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import {
  bodyOf,
  edit,
  generate,
  imagesModel,
  modelAt,
  perImage,
  png,
  scripted,
  startImagesGateway,
} from "./images.testkit.ts";

/** What images cost: by the image, its size and its quality, or by the token, as the model is priced. */

const bySize = { "1024x1024": 40_000, "high/1024x1024": 167_000, "1536x1024": 60_000, default: 90_000 };
const byToken = { input: 5_000_000, input_image: 10_000_000, output_image: 40_000_000 };
const prompt = "A red fox";

let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  gateway = await startImagesGateway([
    imagesModel("by-size", ["gpt"], { prices: { image: bySize } }),
    imagesModel("by-size-dall-e", ["openai"], { prices: { image: bySize } }),
    imagesModel("by-size-gemini", ["gemini"], { prices: { image: bySize } }),
    imagesModel("by-token", ["gpt"], { prices: byToken }),
    imagesModel("by-token-gemini", ["gemini"], {
      prices: { input: 300_000, output: 2_500_000, output_image: 30_000_000 },
    }),
    imagesModel("by-both", ["gpt"], { prices: { ...byToken, image: 1_000 } }),
    imagesModel("unpriced", ["gpt"], { prices: {} }),
    imagesModel("no-default", ["gpt"], { prices: { image: { "1024x1024": 40_000 } } }),
  ]);
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

async function recordOf(body: object) {
  const response = await generate(gateway, { prompt, ...body });
  await bodyOf(response);
  return gateway.record(idOf(response));
}

describe("a model that is priced by size and quality", () => {
  test.each([
    [{ size: "1024x1024", quality: "high" }, 167_000],
    [{ size: "1024x1024", quality: "low" }, 40_000],
    [{ size: "1536x1024", quality: "high", n: 2 }, 120_000],
    [{ size: "512x512" }, 90_000],
    [{}, 40_000],
  ])("%j costs %i, by what the provider says", async (body, amount) => {
    expect(await recordOf({ model: "by-size", ...body })).toMatchObject({
      usage: { measurement: null },
      billing: { status: "charged", amount_microusd: amount },
    });
  });

  test("is charged by what the bytes say if the provider does not", async () => {
    const asked = { model: "by-size-dall-e", size: "1536x1024", response_format: "b64_json" };
    expect(await recordOf(asked)).toMatchObject({
      usage: { measurement: { input: "local_estimate", output: "local_estimate" } },
      billing: { amount_microusd: 60_000 },
    });
    // Gemini's 3:2 is 1248x832.
    expect(await recordOf({ model: "by-size-gemini", size: "1536x1024" })).toMatchObject({
      billing: { amount_microusd: 90_000 },
    });
  });

  test("is charged by what was asked for if the gateway does not see the bytes", async () => {
    const asked = { model: "by-size-dall-e", size: "1024x1024", quality: "high", response_format: "url" };
    expect((await recordOf(asked)).billing.amount_microusd).toBe(167_000);
  });

  test("is unpriced for a size without a price", async () => {
    expect((await recordOf({ model: "no-default", size: "512x512" })).billing.status).toBe("unpriced");
  });
});

describe("a model that is priced by tokens", () => {
  test("is charged for those of each kind", async () => {
    const script = { tokens: { input: 400, output: 1_000 } };
    const response = await edit(gateway, { model: "by-token", image: png(), prompt: scripted(script) });
    await bodyOf(response);
    expect(await gateway.record(idOf(response))).toMatchObject({
      usage: {
        dimensions: [
          { name: "input", quantity: 77 },
          { name: "input_image", quantity: 323 },
          { name: "output", quantity: 0 },
          { name: "output_image", quantity: 1_000 },
        ],
        measurement: { input: "provider", output: "provider" },
      },
      billing: { amount_microusd: 385 + 3_230 + 40_000 },
    });
  });

  test("is charged for an estimate if the provider reports none", async () => {
    const asked = { model: "by-token", size: "1024x1024", quality: "high", prompt: scripted({ usage: null }) };
    expect(await recordOf(asked)).toMatchObject({
      usage: {
        dimensions: [{ name: "input" }, { name: "output_image", quantity: 4_195 }],
        measurement: { input: "local_estimate", output: "local_estimate" },
      },
    });
  });

  test("is charged for all calls to Gemini together", async () => {
    const script = { tokens: { input: 10, output: 1_290 } };
    expect(await recordOf({ model: "by-token-gemini", n: 3, prompt: scripted(script) })).toMatchObject({
      usage: {
        dimensions: [
          { name: "input", quantity: 30 },
          { name: "output", quantity: 0 },
          { name: "output_image", quantity: 3_870 },
        ],
        measurement: { input: "provider", output: "provider" },
      },
    });
  });

  test("may have a price for images beside it", async () => {
    expect(await recordOf({ model: "by-both", n: 2 })).toMatchObject({
      usage: { dimensions: expect.arrayContaining([expect.objectContaining({ name: "image", quantity: 2 })]) },
    });
  });
});

test("a model without a price is marked", async () => {
  expect(await recordOf({ model: "unpriced" })).toMatchObject({
    billing: { status: "unpriced", line_items: [{ dimension: "image", quantity: 1 }] },
  });
});

describe("a prepaid account", () => {
  const path = "/v1/images/generations";

  test.each([
    [{ model: modelAt("gpt"), n: 3 }, 3 * perImage],
    [{ model: "by-size", size: "1024x1024", quality: "high" }, 167_000],
    [{ model: "by-size", size: "1024x1024", quality: "low" }, 40_000],
    [{ model: "by-size", size: "1536x1024" }, 60_000],
    // The dearest that the model may choose.
    [{ model: "by-size", quality: "low" }, 90_000],
    [{ model: "by-size" }, 167_000],
    [{ model: "by-size", size: "1024x1024" }, 167_000],
    [{ model: "by-size", size: "auto", n: 2 }, 334_000],
  ])("holds for %j exactly %i", async (body, amount) => {
    const held = amount + 6;
    const poor = await createPayer(gateway, storage, held - 1);
    const calls = gateway.sandbox.requests.length;
    expect((await poor.post(path, { prompt, ...body })).status).toBe(402);
    expect(gateway.sandbox.requests).toHaveLength(calls);
    const payer = await createPayer(gateway, storage, held);
    const { status, record } = await payer.post(path, { prompt, ...body });
    expect([status, record.billing.held_microusd]).toEqual([200, held]);
    expect(await payer.account()).toMatchObject({
      balance_microusd: held - record.billing.amount_microusd,
      held_microusd: 0,
    });
    await expectSoundBook(storage);
  });

  test("holds a bound of the tokens", async () => {
    // The prompt in bytes and 64 more; 8,192 for an image.
    const held = Math.round(((9 + 64) * 10_000_000 + 8_192 * 40_000_000) / 1_000_000) + 6;
    const payer = await createPayer(gateway, storage, held);
    const { status, record } = await payer.post(path, { model: "by-token", prompt });
    expect([status, record.billing.held_microusd]).toEqual([200, held]);
    await expectSoundBook(storage);
  });

  test("pays no more than was held for it, whatever the provider reports", async () => {
    const payer = await createPayer(gateway, storage, 2_000_000);
    const body = { model: "by-token", prompt: scripted({ tokens: { input: 5, output: 1_000_000 } }) };
    const { record } = await payer.post(path, body);
    expect(record.billing.suspect).toBe(true);
    expect(record.billing.amount_microusd).toBeLessThanOrEqual(record.billing.held_microusd);
  });

  test("gets back what was not delivered, and all of a failure", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    await payer.post(path, { model: modelAt("gpt"), n: 4, prompt: scripted({ pictures: 3 }) });
    await payer.post(path, { model: modelAt("gpt"), n: 4, prompt: scripted({ pictures: 0 }) });
    expect(await payer.account()).toMatchObject({ balance_microusd: 1_000_000 - 3 * perImage, held_microusd: 0 });
    await expectSoundBook(storage);
  });
});

test("a request is quoted and explained with what it is expected to cost", async () => {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ model: "by-size", prompt, size: "1024x1024", quality: "high", n: 2 });
  const explained = await gateway.fetch("/api/routes/explain?endpoint=images_generations", {
    method: "POST",
    headers,
    body,
  });
  expect(await explained.json()).toMatchObject({ chosen: { model: "by-size" }, estimated_amount_microusd: 334_000 });
  const quoted = await gateway.fetch("/api/quote", {
    method: "POST",
    headers,
    body: JSON.stringify({ path: "/v1/images/generations", body: JSON.parse(body) as object }),
  });
  expect([quoted.status, await quoted.json()]).toMatchObject([
    200,
    { estimated: { amount_microusd: 334_000 }, greatest: { amount_microusd: expect.any(Number) } },
  ]);
});

test("a key is limited to its endpoints, and its requests are counted", async () => {
  const scoped = await gateway.newKey({ scopes: { endpoints: ["images_edits"] } });
  const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
  const by = ({ key }: { readonly key: string }) => ({ headers: { authorization: `Bearer ${key}` } });
  expect((await generate(gateway, {}, by(scoped))).status).toBe(403);
  expect((await edit(gateway, { image: png() }, by(scoped))).status).toBe(200);
  expect((await generate(gateway, {}, by(limited))).status).toBe(200);
  expect((await generate(gateway, {}, by(limited))).status).toBe(429);
});
