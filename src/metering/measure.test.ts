import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { InputTokens, ReportedUsage } from "../conversation/usage.ts";
import { inputDimensions } from "./dimensions.ts";
import { measure } from "./measure.ts";
import { tokensOf } from "./tokens.ts";

const noInput: InputTokens = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheMiss: 0,
};

function reported(input: Partial<InputTokens> | null, output: number | null): ReportedUsage {
  return { input: input && { ...noInput, ...input }, output, reasoning: null, raw: {} };
}

const estimates = { input: async () => 11, output: async () => 22 };
const neverAsked = {
  input: () => Promise.reject(new Error("asked for input")),
  output: () => Promise.reject(new Error("asked for output")),
};

describe("inputDimensions", () => {
  test("leave out what is 0, save input", () => {
    expect(inputDimensions(noInput)).toEqual([{ name: "input", quantity: 0, unit: "token" }]);
    expect(inputDimensions({ ...noInput, cacheRead: 5 }).map(({ name }) => name)).toEqual(["input", "cache_read"]);
  });

  test("let cache misses take the place of input", () => {
    expect(inputDimensions({ ...noInput, cacheMiss: 9, cacheRead: 1 })).toEqual([
      { name: "cache_miss", quantity: 9, unit: "token" },
      { name: "cache_read", quantity: 1, unit: "token" },
    ]);
  });

  test("lose no token and count none twice", () => {
    const tokens = fc.record({
      input: fc.nat(),
      cacheRead: fc.nat(),
      cacheWrite: fc.nat(),
      cacheWrite5m: fc.nat(),
      cacheWrite1h: fc.nat(),
      cacheMiss: fc.nat(),
    });
    fc.assert(
      fc.property(tokens, (input) => {
        const dimensions = inputDimensions(input);
        const sum = Object.values(input).reduce((total, part) => total + part, 0);
        expect(dimensions.reduce((total, { quantity }) => total + quantity, 0)).toBe(sum);
        expect(new Set(dimensions.map(({ name }) => name)).size).toBe(dimensions.length);
      }),
    );
  });
});

describe("measure", () => {
  test("answers at once where the provider reported both sides", () => {
    expect(measure(reported({ input: 86, cacheRead: 1_920 }, 300), neverAsked)).toEqual({
      dimensions: [
        { name: "input", quantity: 86, unit: "token" },
        { name: "cache_read", quantity: 1_920, unit: "token" },
        { name: "output", quantity: 300, unit: "token" },
      ],
      measurement: { input: "provider", output: "provider" },
    });
  });

  test("estimates only the side that is missing", async () => {
    expect(await measure(reported({ input: 5 }, null), { ...neverAsked, output: estimates.output })).toEqual({
      dimensions: [
        { name: "input", quantity: 5, unit: "token" },
        { name: "output", quantity: 22, unit: "token" },
      ],
      measurement: { input: "provider", output: "local_estimate" },
    });
    expect((await measure(reported(null, 7), { ...neverAsked, input: estimates.input })).measurement).toEqual({
      input: "local_estimate",
      output: "provider",
    });
  });

  test("estimates both where nothing was reported", async () => {
    const usage = await measure(null, estimates);
    expect(usage.measurement).toEqual({ input: "local_estimate", output: "local_estimate" });
    expect(tokensOf(usage)).toBe(33);
  });

  test("says that it does not know where an estimate fails", async () => {
    const usage = await measure(null, { ...estimates, input: neverAsked.input });
    expect(usage.measurement).toEqual({ input: "unavailable", output: "local_estimate" });
    expect(tokensOf(usage)).toBe(22);
  });

  test("a reported 0 is a report", () => {
    expect(measure(reported({}, 0), neverAsked)).toMatchObject({
      measurement: { input: "provider", output: "provider" },
    });
  });
});

test("tokensOf counts tokens alone", () => {
  const measurement = { input: "provider", output: "provider" } as const;
  const dimensions = [
    { name: "input", quantity: 3, unit: "token" },
    { name: "second", quantity: 12.5, unit: "second" },
    { name: "output", quantity: 4, unit: "token" },
  ] as const;
  expect(tokensOf({ dimensions, measurement })).toBe(7);
});
