import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PriceDocument } from "../../src/billing/prices/price-document.ts";
import { startTestGateway, type TestGateway, type TestRecord } from "../gateway.testkit.ts";

/** From configured prices to the amount in a record. Prices are micro-USD per million tokens. */

const targets = [{ provider: "sandbox", model: "sandbox-chat" }];
const modelsAt = (prices: Readonly<Record<string, PriceDocument | null>>) =>
  Object.entries(prices).map(([id, ofModel]) => ({
    id,
    targets,
    prices: ofModel,
    // Usage is bounded by what a model can do; these take any.
    contextLength: null,
    maxOutputTokens: null,
  }));

/** Sends a request for which the provider reports this usage, and returns the record. */
async function charge(gateway: TestGateway, model: string, sandbox: object): Promise<TestRecord> {
  const response = await gateway.chat({ model, sandbox });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return gateway.record(response.headers.get("x-service-request-id"));
}

describe("versions", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-prices-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts a gateway on the same storage, with these prices, for as long as `use` runs. */
  async function during<Result>(
    prices: Readonly<Record<string, PriceDocument | null>>,
    use: (gateway: TestGateway) => Promise<Result>,
  ): Promise<Result> {
    const gateway = await startTestGateway({ folder, models: modelsAt(prices) });
    try {
      return await use(gateway);
    } finally {
      await gateway.stop();
    }
  }

  test("a changed price creates a new version at the next start, and earlier charges stay", async () => {
    const usage = { tokens: { input: 1_000, output: 100 } };
    const old = { one: { input: 1_000_000, output: 2_000_000 }, two: null };
    const first = await during(old, async (gateway) => {
      const record = await charge(gateway, "one", usage);
      expect(record.billing).toMatchObject({ amount_microusd: 1_200, pricing_version: 1, status: "charged" });
      return { record, key: gateway.key };
    });

    // Unchanged, although in another order.
    await during({ two: null, one: { output: 2_000_000, input: 1_000_000 } }, async (gateway) => {
      expect((await charge(gateway, "one", usage)).billing).toMatchObject({ pricing_version: 1 });
    });

    await during({ ...old, one: { input: 1_000_001, output: 2_000_000 } }, async (gateway) => {
      const record = await charge(gateway, "one", usage);
      expect(record.billing).toMatchObject({ amount_microusd: 1_200, pricing_version: 2 });
      expect(record.billing.line_items[0]).toMatchObject({ dimension: "input", unit_microusd: 1_000_001 });
      expect(await gateway.record(first.record.id, first.key)).toEqual(first.record);
      const catalog = (await (await gateway.fetch("/api/models/catalog")).json()) as {
        data: { id: string; pricing_version: number; pricing: object[] }[];
      };
      expect(catalog.data.find(({ id }) => id === "one")).toMatchObject({
        pricing_version: 2,
        pricing: [
          { dimension: "input", unit: "1M_tokens", unit_size: 1_000_000, unit_microusd: 1_000_001 },
          { dimension: "output", unit_microusd: 2_000_000 },
        ],
      });
    });

    await during(old, async (gateway) => {
      // The old prices again are a new version: versions only increase.
      expect((await charge(gateway, "one", usage)).billing).toMatchObject({ pricing_version: 3 });
      expect(await gateway.record(first.record.id, first.key)).toEqual(first.record);
    });
  });
});

describe("amounts", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      models: modelsAt({
        unpriced: null,
        free: { input: 0, output: 0 },
        "half-priced": { input: 1_000_000 },
        plain: { input: 1_000_000, output: 2_000_000 },
        cached: { input: 1_000_000, cache_read: 100_000, cache_write: 1_250_000, output: 2_000_000 },
        cheap: { input: 500_000, output: 500_000 },
        dear: { input: 9_000_000_000, output: 9_000_000_001 },
      }),
    });
  });
  afterAll(() => gateway.stop());

  const lines = ({ billing }: TestRecord) =>
    billing.line_items.map((line) => [line.dimension, line.quantity, line.unit_microusd, line.amount_microusd]);

  test("an unpriced model is free and marked", async () => {
    const record = await charge(gateway, "unpriced", { tokens: { input: 10, output: 5 } });
    expect(record.billing).toMatchObject({ status: "unpriced", amount_microusd: 0, currency: "USD" });
    expect(lines(record)).toEqual([
      ["input", 10, 0, 0],
      ["output", 5, 0, 0],
    ]);
  });

  test("a price of 0 is free, not unpriced", async () => {
    const record = await charge(gateway, "free", { tokens: { input: 10, output: 5 } });
    expect(record.billing).toMatchObject({ status: "free", amount_microusd: 0 });
  });

  test("a model with only one of two prices is marked", async () => {
    const record = await charge(gateway, "half-priced", { tokens: { input: 10, output: 5 } });
    expect(record.billing).toMatchObject({ status: "unpriced", amount_microusd: 10 });
  });

  const cached = { usage: "openai_cache_write", tokens: { input: 100, cache_read: 30, cache_write: 20, output: 10 } };

  test("cache dimensions without a price use the input price", async () => {
    const record = await charge(gateway, "plain", cached);
    expect(new Set(lines(record))).toEqual(
      new Set([
        ["input", 50, 1_000_000, 50],
        ["cache_read", 30, 1_000_000, 30],
        ["cache_write", 20, 1_000_000, 20],
        ["output", 10, 2_000_000, 20],
      ]),
    );
    expect(record.billing).toMatchObject({ status: "charged", amount_microusd: 120 });
    expect(record.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 });
  });

  test("cache dimensions with a price use it", async () => {
    const record = await charge(gateway, "cached", cached);
    expect(new Set(lines(record))).toEqual(
      new Set([
        ["input", 50, 1_000_000, 50],
        ["cache_read", 30, 100_000, 3],
        ["cache_write", 20, 1_250_000, 25],
        ["output", 10, 2_000_000, 20],
      ]),
    );
    expect(record.billing.amount_microusd).toBe(98);
  });

  test("a provider's cache misses replace the input", async () => {
    const record = await charge(gateway, "cached", {
      usage: "deepseek",
      tokens: { input: 100, cache_read: 30, output: 10 },
    });
    expect(new Set(lines(record))).toEqual(
      new Set([
        ["cache_miss", 70, 1_000_000, 70],
        ["cache_read", 30, 100_000, 3],
        ["output", 10, 2_000_000, 20],
      ]),
    );
    expect(record.usage.prompt_tokens).toBe(100);
  });

  test.each([
    [1, 1, 2],
    [1, 2, 2],
    [2, 1, 2],
    [3, 3, 4],
    [5, 0, 3],
    [999_999, 1, 500_001],
  ])("each line is rounded half up separately: %d in, %d out cost %d", async (input, output, amount) => {
    const record = await charge(gateway, "cheap", { tokens: { input, output } });
    expect(record.billing.amount_microusd).toBe(amount);
    const sum = record.billing.line_items.reduce((total, line) => total + line.amount_microusd, 0);
    expect(sum).toBe(amount);
  });

  test("large amounts are exact to the last micro-dollar", async () => {
    const tokens = 100_000_001;
    const usage = { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens };
    const record = await charge(gateway, "dear", { usage });
    expect(lines(record)).toEqual([
      ["input", tokens, 9_000_000_000, 900_000_009_000],
      ["output", tokens, 9_000_000_001, 900_000_009_100],
    ]);
    expect(record.billing.amount_microusd).toBe(1_800_000_018_100);
  });
});
