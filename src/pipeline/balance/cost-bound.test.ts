import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { anyDocument, anyFacts } from "../../billing/prices/arbitrary-prices.testkit.ts";
import { charge } from "../../billing/charge.ts";
import { addMarkup } from "../../billing/markup.ts";
import { buildPrices } from "../../billing/prices/build-prices.ts";
import { type ModelPrices, tokenParts } from "../../billing/prices/prices.ts";
import { splitUsage } from "../../billing/split-usage.ts";
import { dimensionNames, listDimensions, unitOf } from "../../dimensions.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { exampleCandidate, simulatedClock } from "../../routing/choice/candidate.testkit.ts";
import type { Model } from "../../routing/names/model.ts";
import { type CostBound, costBound, tokensWithin } from "./cost-bound.ts";
import { boundedUsage } from "./usage-bounds.ts";

const clock = simulatedClock();
const candidate = (id: string, model: Partial<Model> = {}): Candidate => exampleCandidate(clock, id, { model });

function usageOf(input: number, maxTokens: number | null, answers = 1): ExpectedUsage {
  return { expected: { input }, max: () => ({ input }), writes: { answers, maxTokens } };
}

const allAt = (prices: ModelPrices | null) => ({ pricesOf: () => prices });
const plain = buildPrices({ input: 1_000_000, output: 10_000_000 });

function boundOf(candidates: readonly Candidate[], usage: ExpectedUsage, markupBasisPoints = 0): CostBound {
  const bound = costBound({ candidates, usage, prices: allAt(plain), markupBasisPoints });
  if ("lacks" in bound) throw new Error(`${bound.model} lacks ${bound.lacks}`);
  return bound;
}

/** The kinds of tokens that a charge may be split into are rounded by themselves. */
const rounding = 6;

describe("the bound of a request's cost", () => {
  test("is what input and output come to at the smallest of the limits, times n, at the dearest candidate", () => {
    const small = candidate("small", { maxOutputTokens: 100, contextLength: 1_000 });
    expect(boundOf([small], usageOf(500, null)).maxMicrousd).toBe(500 + 1_000 + rounding);
    expect(boundOf([small], usageOf(5_000, null)).maxMicrousd).toBe(1_000 + 1_000 + rounding);
    expect(boundOf([small], usageOf(500, 30, 3)).maxMicrousd).toBe(500 + 900 + rounding);
    const large = candidate("large", { maxOutputTokens: 400, contextLength: 1_000 });
    expect(boundOf([small, large], usageOf(500, null)).maxMicrousd).toBe(500 + 4_000 + rounding);
    expect(boundOf([small], usageOf(500, null), 5_000).maxMicrousd).toBe(2_259);
    expect(boundOf([small], usageOf(500, null), -10_000).maxMicrousd).toBe(0);
  });

  test("names what a model lacks if there is none", () => {
    const lackOf = (model: Partial<Model>, usage: ExpectedUsage, prices: ModelPrices | null = plain) =>
      costBound({ candidates: [candidate("m", model)], usage, prices: allAt(prices), markupBasisPoints: 0 });
    const boundless = { maxOutputTokens: null, contextLength: null };
    expect(lackOf(boundless, usageOf(1, null))).toEqual({ model: "m", lacks: "max_output_tokens and context_length" });
    expect(lackOf(boundless, usageOf(1, 5))).toMatchObject({ maxTokens: 5 });
    const media = { ...usageOf(1, 5), max: () => null };
    expect(lackOf(boundless, media)).toEqual({ model: "m", lacks: "context_length" });
    expect(lackOf({}, usageOf(1, 1), null)).toEqual({ model: "m", lacks: "prices" });
    const lacks = "price for something that the request uses";
    expect(lackOf({ contextLength: 9 }, usageOf(1, 1), buildPrices({}))).toEqual({ model: "m", lacks });
  });

  test("finds the highest limit that an amount covers", () => {
    const bound = boundOf([candidate("m", { maxOutputTokens: 1_000, contextLength: 10_000 })], usageOf(100, null));
    fc.assert(
      fc.property(fc.nat(12_000), (amount) => {
        const tokens = tokensWithin(bound, amount);
        if (tokens > 0) expect(bound.limitedTo(tokens)).toBeLessThanOrEqual(amount);
        expect(tokens === 1_000 || bound.limitedTo(tokens + 1) > amount).toBe(true);
      }),
    );
  });

  test("is that of the dearest target, if one model has several at prices of their own", () => {
    const cheap = candidate("m", { maxOutputTokens: 100, contextLength: 1_000 });
    const dear = { ...cheap, target: { ...cheap.target, model: "dear" } };
    const prices = {
      pricesOf: (_model: unknown, { model }: { readonly model: string }) =>
        model === "dear" ? buildPrices({ input: 9_000_000, output: 0 }) : plain,
    };
    const bound = costBound({ candidates: [cheap, dear], usage: usageOf(500, null), prices, markupBasisPoints: 0 });
    expect(bound).toMatchObject({ maxMicrousd: 4_500 + rounding });
  });

  test("is never exceeded by a charge, whatever a provider reports, and whatever the tier, the time and the kind of tokens", () => {
    const count = fc.oneof(fc.nat(5_000), fc.nat(1_000_000_000));
    const tokens = fc.dictionary(fc.constantFrom(...dimensionNames.filter((name) => unitOf(name) === "token")), count);
    const parts = fc.dictionary(fc.constantFrom(...tokenParts), count);
    const limit = fc.option(fc.integer({ min: 1, max: 4_000 }));
    const asked = fc.record({ input: fc.nat(4_000), limit, answers: fc.integer({ min: 1, max: 4 }), lowered: limit });
    fc.assert(
      fc.property(
        anyDocument,
        asked,
        tokens,
        parts,
        anyFacts,
        fc.integer({ min: -10_000, max: 50_000 }),
        (document, { input: read, limit: own, answers, lowered }, counts, ofParts, facts, markupBasisPoints) => {
          const prices = buildPrices({ output: 0, ...document });
          const one = candidate("m", { maxOutputTokens: 3_000, contextLength: 9_000 });
          const usage = usageOf(read, own, answers);
          const bound = costBound({ candidates: [one], usage, prices: allAt(prices), markupBasisPoints });
          if ("lacks" in bound) throw new Error(bound.lacks);
          const reported = {
            dimensions: [...listDimensions(counts), { name: "image", quantity: 9, unit: "image" } as const],
            measurement: { input: "provider", output: "provider" } as const,
          };
          // A hold is all that matters of it here.
          const funding = { heldMicrousd: 1, maxOutputTokens: lowered };
          const bounded = boundedUsage(
            reported,
            { maxOutputTokens: own ?? undefined, expectedUsage: () => usage },
            one.model,
            funding,
          );
          const charged = charge(splitUsage(bounded, ofParts, prices), prices, 1, facts);
          const held = lowered === null ? bound.maxMicrousd : bound.limitedTo(Math.min(lowered, own ?? lowered));
          expect(addMarkup(charged, markupBasisPoints).amountMicrousd).toBeLessThanOrEqual(held);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("the usage of a request for which nothing was held", () => {
  const one = candidate("m", { maxOutputTokens: 100, contextLength: 1_000 });
  const usage = (read: number, written: number) => ({
    dimensions: [
      { name: "input", quantity: read, unit: "token" },
      { name: "output", quantity: written, unit: "token" },
    ] as const,
    measurement: { input: "provider", output: "provider" } as const,
  });
  const bounded = (read: number, written: number, maxOutputTokens: number | undefined, answers = 1) =>
    boundedUsage(
      usage(read, written),
      { maxOutputTokens, expectedUsage: () => usageOf(5, maxOutputTokens ?? null, answers) },
      one.model,
      null,
    ).dimensions.map(({ quantity }) => quantity);

  test("is bounded by the context length and the limit that was sent, times n", () => {
    expect(bounded(1_000, 100, undefined)).toEqual([1_000, 100]);
    expect(bounded(1_001, 101, undefined)).toEqual([1_000, 100]);
    expect(bounded(9, 60, 50)).toEqual([9, 50]);
    expect(bounded(9, 60, 50, 2)).toEqual([9, 60]);
    expect(bounded(9, 160, 50, 2)).toEqual([9, 100]);
  });

  test("is not read again if it is possible of one answer", () => {
    const given = usage(10, 5);
    const neverAsked = () => {
      throw new Error("There was no need to ask.");
    };
    expect(boundedUsage(given, { maxOutputTokens: 5, expectedUsage: neverAsked }, one.model, null)).toBe(given);
  });
});
