import { describe, expect, test } from "bun:test";
import { checkParameters, readFilter } from "./read-filter.ts";
import { readSummaryQuery } from "./summary-query.ts";

const owner = { keyId: null, accountId: null };
const read = (query: string, hidesProvider = false) => readFilter(new URLSearchParams(query), owner, { hidesProvider });

describe("filters of records", () => {
  test("several statuses are read in any order, with or without spaces", () => {
    expect(read("status=refused,%20failed").statuses).toEqual(["failed", "refused"]);
    expect(read("").statuses).toBeNull();
  });

  test("a least amount and latency of nothing select all", () => {
    expect(read("min_amount_microusd=0&min_latency_ms=0")).toMatchObject({
      minAmountMicrousd: null,
      minLatencyMs: null,
    });
    expect(read("min_amount_microusd=50000&min_latency_ms=1500")).toMatchObject({
      minAmountMicrousd: 50_000,
      minLatencyMs: 1_500,
    });
  });

  test("no facet has a NUL character in its name", () => {
    expect(() => checkParameters(new URLSearchParams("tag:a%00=1"), [])).toThrow(
      expect.objectContaining({ param: "tag:a\0" }),
    );
  });

  test("a gateway that hides its providers neither selects nor tells apart by them", () => {
    expect(read("provider=a").provider).toBe("a");
    expect(() => read("provider=a", true)).toThrow(expect.objectContaining({ param: "provider" }));
    const summary = (query: string) => readSummaryQuery(new URLSearchParams(query), owner, true);
    expect(() => summary("provider=a")).toThrow(expect.objectContaining({ param: "provider" }));
    expect(() => summary("by=provider")).toThrow(expect.objectContaining({ param: "by" }));
  });
});
