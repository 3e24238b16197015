import { describe, expect, test } from "bun:test";
import type { ModelInfo } from "@pydantic/genai-prices";
import { bundledFile, bundledVersion } from "../src/billing/prices/bundled/bundled.ts";
import packageFile from "../package.json" with { type: "json" };
import { makeBundledTable, tableText } from "./bundled-prices.ts";
import { convertModel } from "./bundled-prices/convert.ts";

test("the table is what the pinned version of the package makes", async () => {
  expect(packageFile.devDependencies["@pydantic/genai-prices"]).toBe(bundledVersion);
  expect(await Bun.file(bundledFile).text()).toBe(tableText(await makeBundledTable()));
});

describe("a model of the package", () => {
  const convert = (prices: ModelInfo["prices"]) => {
    return convertModel({ id: "m", match: { equals: "m" }, prices }, "2026-09-23")?.prices ?? null;
  };

  test("has prices per million tokens, and per thousand requests and searches", () => {
    expect(
      convert({
        input_mtok: 1.25,
        cache_write_1h_mtok: 2,
        requests_kcount: 5,
        web_searches_kcount: 10,
        storage_searches_kcount: 2,
      }),
    ).toEqual({ input: 1_250_000, cache_write_1h: 2_000_000, request: 5_000, web_search: 10_000 });
  });

  test("has tiers by the size of its prompt", () => {
    const tiers = [{ start: 200_000, price: 2.5 }];
    expect(convert({ input_mtok: { base: 1.25, tiers }, output_mtok: 10 })).toEqual({
      input: 1_250_000,
      output: 10_000_000,
      tiers: [{ above_input_tokens: 200_000, input: 2_500_000 }],
    });
  });

  test("has the price whose day has come, and the hours that go before it", () => {
    expect(
      convert([
        { prices: { input_mtok: 1 } },
        { constraint: { type: "start_date", start_date: "2026-08-17" }, prices: { input_mtok: 2 } },
        {
          constraint: { type: "time_of_date", start_time: "01:00:00Z", end_time: "04:00:00Z" },
          prices: { input_mtok: 3 },
        },
        { constraint: { type: "start_date", start_date: "2027-01-01" }, prices: { input_mtok: 4 } },
      ]),
    ).toEqual({ input: 2_000_000, windows: [{ from: "01:00", to: "04:00", time_zone: "UTC", input: 3_000_000 }] });
  });

  test.each<[string, ModelInfo["prices"]]>([
    ["by the hour", { input_audio_hours: 0.111 }],
    ["for reasoning apart", { input_mtok: 1, output_mtok: 2, output_reasoning_mtok: 3 }],
    ["too finely", { input_mtok: 1e-13 }],
    [
      "in another time zone",
      [
        { prices: { input_mtok: 1 } },
        {
          constraint: { type: "time_of_date", start_time: "01:00:00+08:00", end_time: "04:00:00Z" },
          prices: { input_mtok: 3 },
        },
      ],
    ],
    ["not at all", {}],
  ])("that is priced %s is left out", (_, prices) => {
    expect(convert(prices)).toBeNull();
  });
});
