import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { exampleUsage } from "../conversation/usage.testkit.ts";
import { measure } from "./measure.ts";
import { tokensOf } from "./tokens.ts";

const estimates = { input: async () => ({ input: 11 }), output: async () => ({ output: 22 }) };
const neverAsked = {
  input: () => Promise.reject(new Error("asked for input")),
  output: () => Promise.reject(new Error("asked for output")),
};

describe("measure", () => {
  test("is synchronous if the provider reported both sides", () => {
    expect(measure(exampleUsage({ input: 86, cache_read: 1_920, output: 300 }), neverAsked)).toEqual({
      dimensions: [
        { name: "input", quantity: 86, unit: "token" },
        { name: "cache_read", quantity: 1_920, unit: "token" },
        { name: "output", quantity: 300, unit: "token" },
      ],
      measurement: { input: "provider", output: "provider" },
    });
  });

  test("estimates only the side that is missing", async () => {
    expect(await measure(exampleUsage({ input: 5 }), { ...neverAsked, output: estimates.output })).toEqual({
      dimensions: [
        { name: "input", quantity: 5, unit: "token" },
        { name: "output", quantity: 22, unit: "token" },
      ],
      measurement: { input: "provider", output: "local_estimate" },
    });
    expect((await measure(exampleUsage({ output: 7 }), { ...neverAsked, input: estimates.input })).measurement).toEqual(
      {
        input: "local_estimate",
        output: "provider",
      },
    );
  });

  test("estimates both if nothing was reported", async () => {
    const usage = await measure(null, estimates);
    expect(usage.measurement).toEqual({ input: "local_estimate", output: "local_estimate" });
    expect(tokensOf(usage)).toBe(33);
  });

  test("is unavailable if an estimate fails", async () => {
    const usage = await measure(null, { ...estimates, input: neverAsked.input });
    expect(usage.measurement).toEqual({ input: "unavailable", output: "local_estimate" });
    expect(tokensOf(usage)).toBe(22);
  });

  test("a preliminary count does not count as the provider's, and the estimate is never below it", async () => {
    const soFar = (output: number) => exampleUsage({ input: 5, output, web_search: 2 }, { output: "so_far" });
    const { dimensions, measurement } = await measure(soFar(1), estimates);
    expect(measurement).toEqual({ input: "provider", output: "local_estimate" });
    expect(dimensions).toEqual([
      { name: "input", quantity: 5, unit: "token" },
      { name: "output", quantity: 22, unit: "token" },
      { name: "web_search", quantity: 2, unit: "search_unit" },
    ]);
    expect((await measure(soFar(40), estimates)).dimensions[1]?.quantity).toBe(40);
    const failing = await measure(soFar(40), { ...estimates, output: neverAsked.output });
    expect([failing.dimensions[1]?.quantity, failing.measurement?.output]).toEqual([40, "unavailable"]);
  });

  test("estimates may be of any unit", async () => {
    const spoken = { input: async () => ({ character: 40 }), output: async () => ({}) };
    expect((await measure(null, spoken)).dimensions).toContainEqual({
      name: "character",
      quantity: 40,
      unit: "character",
    });
    const drawn = { input: async () => ({ input: 7 }), output: async () => ({ image: 2 }) };
    expect((await measure(null, drawn)).dimensions).toEqual([
      { name: "input", quantity: 7, unit: "token" },
      { name: "image", quantity: 2, unit: "image" },
    ]);
  });

  test("with any preliminary counts, no estimate loses a token or counts one twice", async () => {
    const count = fc.nat(1_000);
    await fc.assert(
      fc.asyncProperty(count, count, count, count, async (input, cache_read, output, estimated) => {
        const soFar = exampleUsage({ input, cache_read, output }, { input: "so_far", output: "so_far" });
        const usage = await measure(soFar, {
          input: async () => ({ input: estimated }),
          output: async () => ({ output: estimated }),
        });
        expect(tokensOf(usage)).toBe(Math.max(input + cache_read, estimated) + Math.max(output, estimated));
      }),
    );
  });

  test("a reported 0 counts as reported", () => {
    expect(measure(exampleUsage({ input: 0, output: 0 }), neverAsked)).toMatchObject({
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
