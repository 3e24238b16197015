import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { charge } from "../../billing/charge.ts";
import { addMarkup } from "../../billing/markup.ts";
import { buildPrices } from "../../billing/price-list.ts";
import type { Dimension, DimensionName } from "../../metering/usage.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { exampleCandidate, simulatedClock } from "../../routing/choice/candidate.testkit.ts";
import type { Model } from "../../routing/names/model.ts";
import { type CostBound, costBound, tokensWithin } from "./cost-bound.ts";
import { boundedUsage } from "./usage-bounds.ts";
import type { BalanceHold } from "../../billing/lease.ts";

const clock = simulatedClock();
const candidate = (id: string, model: Partial<Model> = {}): Candidate => exampleCandidate(clock, id, { model });

function usageOf(input: number, maxTokens: number | null, answers = 1): ExpectedUsage {
  return { expected: { input }, max: () => ({ input }), writes: { answers, maxTokens } };
}

const plain = buildPrices({ input: 1_000_000, output: 10_000_000 });

function boundOf(candidates: readonly Candidate[], usage: ExpectedUsage, markupBasisPoints = 0): CostBound {
  const prices = Object.fromEntries(candidates.map(({ model }) => [model.id, plain]));
  const bound = costBound({ candidates, usage, prices, markupBasisPoints });
  if ("lacks" in bound) throw new Error(`${bound.model} lacks ${bound.lacks}`);
  return bound;
}

/** The three kinds of input that a charge may be split into are rounded by themselves. */
const rounding = 3;

describe("the bound of a request's cost", () => {
  test("is what input and output come to at the smallest of the limits, times n, at the dearest candidate", () => {
    const small = candidate("small", { maxOutputTokens: 100, contextLength: 1_000 });
    expect(boundOf([small], usageOf(500, null)).maxMicrousd).toBe(500 + 1_000 + rounding);
    expect(boundOf([small], usageOf(5_000, null)).maxMicrousd).toBe(1_000 + 1_000 + rounding);
    expect(boundOf([small], usageOf(500, 30, 3)).maxMicrousd).toBe(500 + 900 + rounding);
    const large = candidate("large", { maxOutputTokens: 400, contextLength: 1_000 });
    expect(boundOf([small, large], usageOf(500, null)).maxMicrousd).toBe(500 + 4_000 + rounding);
    expect(boundOf([small], usageOf(500, null), 5_000).maxMicrousd).toBe(2_255);
    expect(boundOf([small], usageOf(500, null), -10_000).maxMicrousd).toBe(0);
  });

  test("names what a model lacks if there is none", () => {
    const lackOf = (model: Partial<Model>, usage: ExpectedUsage, prices = { m: plain }) =>
      costBound({ candidates: [candidate("m", model)], usage, prices, markupBasisPoints: 0 });
    const boundless = { maxOutputTokens: null, contextLength: null };
    expect(lackOf(boundless, usageOf(1, null))).toEqual({ model: "m", lacks: "max_output_tokens and context_length" });
    expect(lackOf(boundless, usageOf(1, 5))).toMatchObject({ maxTokens: 5 });
    const media = { ...usageOf(1, 5), max: () => null };
    expect(lackOf(boundless, media)).toEqual({ model: "m", lacks: "context_length" });
    const unpriced = costBound({
      candidates: [candidate("m")],
      usage: usageOf(1, 1),
      prices: {},
      markupBasisPoints: 0,
    });
    expect(unpriced).toEqual({ model: "m", lacks: "prices" });
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

  test("is never exceeded by a charge, whatever a provider reports", () => {
    const price = fc.option(fc.nat(100_000_000), { nil: undefined });
    const prices = fc.record({
      input: fc.nat(100_000_000),
      output: fc.nat(100_000_000),
      cache_read: price,
      cache_write: price,
      cache_write_5m: price,
      cache_write_1h: price,
    });
    const count = fc.oneof(fc.nat(5_000), fc.nat(1_000_000_000));
    const names: DimensionName[] = ["input", "cache_read", "cache_write", "cache_write_5m", "cache_write_1h", "output"];
    const limit = fc.option(fc.integer({ min: 1, max: 4_000 }));
    const markup = fc.integer({ min: -10_000, max: 50_000 });
    const asked = fc.record({ input: fc.nat(4_000), limit, answers: fc.integer({ min: 1, max: 4 }), lowered: limit });
    fc.assert(
      fc.property(
        prices,
        asked,
        fc.tuple(...names.map(() => count)),
        markup,
        ({ input, output, ...cached }, { input: read, limit: own, answers, lowered }, counts, markupBasisPoints) => {
          const given = Object.fromEntries(Object.entries(cached).filter(([, each]) => each !== undefined));
          const model = buildPrices({ input, output, ...given });
          const one = candidate("m", { maxOutputTokens: 3_000, contextLength: 9_000 });
          const usage = usageOf(read, own, answers);
          const bound = costBound({ candidates: [one], usage, prices: { m: model }, markupBasisPoints });
          if ("lacks" in bound) throw new Error(bound.lacks);
          const dimensions = names.map((name, index): Dimension => ({
            name,
            quantity: counts[index] ?? 0,
            unit: "token",
          }));
          const reported = {
            dimensions: [...dimensions, { name: "image", quantity: 9, unit: "image" } as const],
            measurement: { input: "provider", output: "provider" } as const,
          };
          // A hold is all that matters of it here.
          const funding = { hold: {} as BalanceHold, maxOutputTokens: lowered };
          const bounded = boundedUsage(
            reported,
            { maxOutputTokens: own ?? undefined, expectedUsage: () => usage },
            one.model,
            funding,
          );
          const { amountMicrousd } = addMarkup(charge(bounded, model, 1), markupBasisPoints);
          const held = lowered === null ? bound.maxMicrousd : bound.limitedTo(Math.min(lowered, own ?? lowered));
          expect(amountMicrousd).toBeLessThanOrEqual(held);
        },
      ),
      { numRuns: 300 },
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
