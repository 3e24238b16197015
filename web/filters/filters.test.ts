import { expect, test } from "bun:test";
import { hasLatency, readFilters, summaryFilters, toUsageFilter } from "./filters.ts";

test("filters of the address are parameters of the API", () => {
  const search = { range: "7d", status: "failed,refused", tag: "team=a=b", min_cost: "0.05", min_latency: "1500" };
  expect(toUsageFilter(readFilters(search))).toEqual({
    status: "failed,refused",
    "tag:team": "a=b",
    min_amount_microusd: "50000",
    min_latency_ms: "1500",
  });
  expect(readFilters(search, summaryFilters)).toEqual({ status: "failed,refused", tag: "team=a=b" });
});

test("what is no amount is left to the API to refuse", () => {
  expect(toUsageFilter({ min_cost: "much" })).toEqual({ min_amount_microusd: "much" });
});

test("latency is told unless end users, sessions or tags are selected", () => {
  expect(hasLatency({ model: "a", provider: "b" })).toBe(true);
  expect(hasLatency({ tag: "a=b" })).toBe(false);
});
