import { expect, test } from "bun:test";
import { PriceBook } from "../billing/prices/price-book.ts";
import type { PriceDocument } from "../billing/prices/price-document.ts";
import { dimensionNames } from "../dimensions.ts";
import { replayPrices, type ReplayOptions } from "./replay-prices.ts";
import { noSums, type SumRow } from "./sum-table.ts";

const book = (models: Readonly<Record<string, PriceDocument>>, version = 1) =>
  new PriceBook(version, {
    configured: { source: "configuration", date: "2026-01-01", models, vendors: [] },
    imported: null,
    bundled: null,
  });

const row = (names: SumRow["names"], quantities: Partial<Record<string, number>>, requests = 2): SumRow => ({
  ...noSums(),
  names,
  requests,
  amountMicrousd: 7,
  quantities: dimensionNames.map((name) => quantities[name] ?? 0),
});

const target = { provider: { id: "p", baseUrl: "https://p.example" }, model: "up", pricedAs: "p/up" };

const options = (before: PriceDocument, after: PriceDocument, more: Partial<ReplayOptions> = {}): ReplayOptions => ({
  before: book({ m: before }),
  after: book({ m: after }, 2),
  servedBy: (id) => (id === "gone" ? null : { model: { id, pricedAs: id }, target, isCertain: true }),
  isFree: (endpoint) => endpoint === "/v1/count",
  ...more,
});

const used = ["m", "p", "succeeded", "/v1/chat"];

test("the sums of a model are priced by both versions, with the price of each request", async () => {
  const { rows } = await replayPrices(
    [
      row(used, { input: 3_000_000, cache_read: 1_000_000 }, 10),
      row(["m", "p", "cancelled", "/v1/chat"], { output: 1_000_000 }, 1),
    ],
    options({ input: 10, output: 20, request: 5 }, { input: 20, cache_read: 1, output: 20 }),
  );
  expect(rows).toEqual([
    {
      model: "m",
      provider: "p",
      requests: 11,
      chargedMicrousd: 14,
      beforeMicrousd: 30 + 10 + 50 + 20 + 5,
      afterMicrousd: 60 + 1 + 20,
      isExact: true,
    },
  ]);
});

test("what was not charged is not priced, and what is gone is counted", async () => {
  const { rows, unknownRequests } = await replayPrices(
    [
      row(["m", "p", "failed", "/v1/chat"], { input: 1_000_000 }),
      row(["m", "p", "refused", "/v1/chat"], {}),
      row(["m", "p", "succeeded", "/v1/count"], { input: 1_000_000 }),
      row(["gone", "p", "succeeded", "/v1/chat"], { input: 1_000_000 }, 3),
    ],
    options({ input: 1 }, { input: 2 }),
  );
  expect(rows).toEqual([]);
  expect(unknownRequests).toBe(3);
});

test("tiers, sizes, the provider's cost and a name of several models are said to be approximate", async () => {
  const flat: PriceDocument = { input: 10 };
  const tiered: PriceDocument = { input: 10, tiers: [{ above_input_tokens: 1_000, input: 99 }] };
  const one = async (given: ReplayOptions) => (await replayPrices([row(used, { input: 2_000_000 })], given)).rows[0];
  expect(await one(options(flat, tiered))).toMatchObject({ isExact: false, afterMicrousd: 20 });
  expect(await one(options(flat, { input: 10, cost: "provider" }))).toMatchObject({ isExact: false, afterMicrousd: 7 });
  const servedBy = () => ({ model: { id: "m", pricedAs: "m" }, target, isCertain: false });
  expect(await one(options(flat, flat, { servedBy }))).toMatchObject({ isExact: false, beforeMicrousd: 20 });
});

test("more than one request could have are priced too, and the largest difference comes first", async () => {
  const { rows } = await replayPrices(
    [row(used, { input: 1 }), row(["n", "p", "succeeded", "/v1/chat"], { input: 50_000_000_000 })],
    {
      ...options({ input: 10 }, { input: 11 }),
      // A target belongs to one model.
      servedBy: (id) => ({ model: { id, pricedAs: id }, target: { ...target }, isCertain: true }),
      after: book({ m: { input: 11 }, n: { input: 4 } }, 2),
    },
  );
  expect(rows.map(({ model, afterMicrousd }) => [model, afterMicrousd])).toEqual([
    ["n", 200_000],
    ["m", 0],
  ]);
});
