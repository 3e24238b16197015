import { describe, expect, test } from "bun:test";
import { bundledTable } from "./bundled/bundled.ts";
import { type DatedTable, PriceBook, type PricedTarget } from "./price-book.ts";
import { exampleTable } from "./price-book.testkit.ts";
import { targetKey } from "./price-table.ts";

const bundled: DatedTable = { ...(await bundledTable.load()), date: "2026-09-23" };
const nothing = { configured: null, imported: null, bundled: null };

function targetAt(baseUrl: string, model: string, id = "own"): PricedTarget {
  return { provider: { id, baseUrl }, model, pricedAs: `${id}/${model}` };
}

const named = (id: string) => ({ id, pricedAs: id });
const openai = "https://api.openai.com/v1";

describe("the source of a price", () => {
  const target = targetAt(openai, "gpt-5-mini");
  const configured = exampleTable({ mini: { input: 1 } });
  const imported = exampleTable({ "gpt-5-mini": { input: 2 } }, "litellm");

  test("the configuration goes before what was imported, and that before what is bundled", () => {
    const found = (tables: object) => new PriceBook(1, { ...nothing, ...tables }).find(named("mini"), target);
    expect(found({ configured, imported, bundled })).toMatchObject({
      document: { input: 1 },
      source: { layer: "configured", name: "configuration", date: "2026-11-22" },
    });
    expect(found({ imported, bundled })).toMatchObject({ document: { input: 2 }, source: { name: "litellm" } });
    expect(found({ bundled })).toMatchObject({
      document: { input: 250_000, cache_read: 25_000, output: 2_000_000 },
      source: { layer: "bundled", name: "@pydantic/genai-prices 0.1.8", date: "2026-09-23" },
    });
    expect(found({})).toBeNull();
  });

  test("no prices in the configuration are the word that there are none", () => {
    const none = exampleTable({ mini: {} });
    const book = new PriceBook(1, { configured: none, imported, bundled });
    expect(book.find(named("mini"), target)?.document).toEqual({});
  });

  test("a target's own price goes before its model's, also under a pattern", () => {
    const both = exampleTable({
      "a/*": { input: 1 },
      [targetKey("a/*", "own/*")]: { input: 2 },
    });
    const book = new PriceBook(1, { ...nothing, configured: both });
    const model = { id: "a/x", pricedAs: "a/*" };
    expect(book.find(model, { ...targetAt(openai, "x"), pricedAs: "own/*" })?.document).toEqual({ input: 2 });
    expect(book.find(model, { ...targetAt(openai, "x"), pricedAs: "other/*" })?.document).toEqual({ input: 1 });
  });

  test("imported prices are found by the caller's name, by provider and model, and by the provider's name", () => {
    const map = exampleTable({ asked: { input: 1 }, "own/exact": { input: 2 }, bare: { input: 3 } }, "litellm");
    const book = new PriceBook(1, { ...nothing, imported: map });
    expect(book.find(named("asked"), targetAt(openai, "exact"))?.document).toEqual({ input: 1 });
    expect(book.find(named("m"), targetAt(openai, "exact"))?.document).toEqual({ input: 2 });
    expect(book.find(named("m"), targetAt(openai, "bare"))?.document).toEqual({ input: 3 });
    expect(book.find(named("m"), targetAt(openai, "constructor"))).toBeNull();
  });

  test("is looked for once for each target", () => {
    const book = new PriceBook(1, { ...nothing, configured, bundled });
    expect(book.find(named("mini"), target)).toBe(book.find(named("mini"), target));
  });
});

describe("bundled prices", () => {
  const book = new PriceBook(1, { ...nothing, bundled });
  const priceOf = (baseUrl: string, name: string, id?: string) => {
    return book.find(named("any"), targetAt(baseUrl, name, id))?.document.input ?? null;
  };

  test.each([
    ["by address", "https://api.anthropic.com", "claude-sonnet-4-5-20250929", 3_000_000],
    ["of a vendor that serves others' models", "https://x.services.ai.azure.com/openai", "gpt-4o", 2_500_000],
    ["by the day in another spelling", openai, "gpt-5-20250807", 1_250_000],
    ["at an unknown address, by a name that means one vendor", "http://127.0.0.1:1/v1", "gpt-5-mini", 250_000],
    ["at an unknown address, by the name of another", "http://127.0.0.1:1/v1", "claude-sonnet-4-5", 3_000_000],
    ["not for open weights", "http://127.0.0.1:1/v1", "deepseek-r1", null],
    ["not for open weights with a vendor's prefix", "http://127.0.0.1:1/v1", "gpt-oss-120b", null],
    ["not for an unknown name", openai, "my-model", null],
    ["not for an address that only contains the vendor's", "https://evil.example/https://api.groq.com", "x", null],
  ])("are found %s", (_, baseUrl, name, expected) => {
    expect(priceOf(baseUrl, name)).toBe(expected);
  });

  test("are found by the id of the provider", () => {
    expect(priceOf("http://127.0.0.1:1/v1", "llama-3.1-8b-instant", "groq")).toBe(50_000);
  });
});
