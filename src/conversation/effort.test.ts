import { expect, test } from "bun:test";
import { budgetOfEffort, effortOfBudget } from "./effort.ts";
import { reasoningEfforts } from "./request.ts";

test("an effort's budget is that effort, and budgets grow", () => {
  for (const effort of reasoningEfforts) expect(effortOfBudget(budgetOfEffort(effort))).toBe(effort);
  const budgets = reasoningEfforts.map(budgetOfEffort);
  expect(budgets).toEqual(budgets.toSorted((left, right) => left - right));
});

test("a budget between two efforts is the lower one, and the lowest is minimal", () => {
  expect(effortOfBudget(budgetOfEffort("high") - 1)).toBe("medium");
  expect(effortOfBudget(0)).toBe("minimal");
});
