import { expect, test } from "bun:test";
import { configuredTable } from "./configured-table.ts";
import { tableId } from "../prices/price-table.ts";

const target = { provider: "p", model: "m" };

test("a table has the prices of models and of single targets, and of no others", () => {
  const models = [
    { id: "none", prices: null, targets: [target] },
    { id: "empty", prices: {}, targets: [target] },
    {
      id: "own",
      prices: { input: 1 },
      targets: [
        { ...target, prices: { input: 2 } },
        { ...target, model: "other" },
      ],
    },
    { id: "passed", prices: { input: 1 }, targets: [{ ...target, prices: { cost: "provider" as const } }] },
    { id: "__proto__", prices: { input: 3 }, targets: [] },
  ];
  expect(Object.entries(configuredTable(models).models)).toEqual([
    ["empty", {}],
    ["own", { input: 1 }],
    ["own > p/m", { input: 2 }],
    ["passed", { input: 1 }],
    // Its model's prices stand in for a cost that is not reported.
    ["passed > p/m", { input: 1, cost: "provider" }],
    ["__proto__", { input: 3 }],
  ]);
});

test("the same prices are the same table, in whatever order they are written", () => {
  const one = configuredTable([
    { id: "a", prices: { input: 1, image: { x: 1, default: 2 } }, targets: [] },
    { id: "b", prices: { output: 2 }, targets: [] },
  ]);
  const other = configuredTable([
    { id: "b", prices: { output: 2 }, targets: [] },
    { id: "a", prices: { image: { default: 2, x: 1 }, input: 1 }, targets: [] },
  ]);
  expect(tableId(one)).toBe(tableId(other));
  expect(tableId(configuredTable([{ id: "a", prices: { input: 2 }, targets: [] }]))).not.toBe(tableId(one));
});
