import { expect, test } from "bun:test";
import { priceDocument, pricesSchema } from "../../config/file/prices-schema.ts";
import type { PriceDocument } from "./price-document.ts";
import { usdDocument } from "./usd-document.ts";

const document: PriceDocument = {
  input: 1_250_000,
  second: "0.0000305",
  tiers: [{ above_input_tokens: 200_000, input: 2_500_000 }],
  service_tiers: { flex: { input: 600_000, tiers: [{ above_input_tokens: 5, output: 1 }] } },
  windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", output: 600_000 }],
  image: { "1024x1024": 40_000, default: 50_000 },
};

test("a document is written as a configuration has it, and is read as it was", () => {
  const written = usdDocument(document);
  expect(written).toEqual({
    input: "1.25",
    second: "0.0000305",
    tiers: [{ above_input_tokens: 200_000, input: "2.5" }],
    service_tiers: { flex: { input: "0.6", tiers: [{ above_input_tokens: 5, output: "0.000001" }] } },
    windows: [{ from: "16:30", to: "00:30", time_zone: "UTC", output: "0.6" }],
    image: { "1024x1024": "0.04", default: "0.05" },
  });
  expect(priceDocument(pricesSchema.parse(written))).toEqual(document);
  expect(usdDocument({ ...document, cost: "provider" })).toEqual({ ...written, cost: "provider" });
});
